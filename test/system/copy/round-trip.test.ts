import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { runDhole } from '../../support/dhole-command.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../support/postgres/cluster.ts'
import { put, putJob } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { fill, learn, withApplication } from './rich-tree.ts'

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'dhole copy', () => {
  test('a tree comes back from a database as it was, at the same position', async () => {
    await using dir = await tempDir()
    const [folder, back] = [dir.file('first'), dir.file('second')]
    const schema = freshSchema()
    const url = databaseUrl() ?? ''
    const env = { DATABASE_SCHEMA: schema }
    const database = { server: { url, schema } }
    await fill({ folder }, 'app')
    const before = await learn({ folder }, 'app')
    const there = await runDhole(['copy', '--from', folder, '--to', url, '--yes'], env)
    expect(there).toMatchObject({ status: 0, stderr: '' })
    expect(await learn(database, 'app')).toEqual(before)
    const home = await runDhole(['copy', '--from', url, '--to', back, '--yes', '--json'], env)
    expect(home).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(home.stdout)).toMatchObject([{ id: 'app', done: 'copy', epoch: before.position.epoch }])
    expect(await learn({ folder: back }, 'app')).toEqual(before)
    expect(rowsOf(back)).toEqual(rowsOf(folder))
    await withApplication({ folder: back }, 'app', async ({ tree }) => {
      expect((await put(tree, '/after', 1))?.seq).toBe(before.position.seq + 1)
      await put(tree, '/long/string', 'short')
      await put(tree, '/list', null)
    })
  })
})

/** Rows of the tables whose rows must be the same, without ids that are given anew. */
function rowsOf(folder: string): unknown {
  const client = new Database(`${folder}/apps/app.sqlite`, { readonly: true })
  try {
    const all = (text: string) => client.query(text).all()
    return {
      // That a list has long texts is never forgotten.
      interior: all(
        'SELECT id, parent_id, key, child_count, traits | 2 AS traits FROM interior WHERE NOT traits & 8 ORDER BY id',
      ),
      slots: all(
        'SELECT parent_id, key, kind, value, iif(value IS NULL, id, 0) AS id FROM node ORDER BY parent_id, key',
      ),
      chunks: all('SELECT text FROM text_chunk ORDER BY length(text), text'),
      closure: all('SELECT count(*) AS rows, sum(depth) AS depth FROM closure'),
      change: all('SELECT * FROM change ORDER BY seq'),
      note: all('SELECT key, at, text FROM note ORDER BY at, key'),
      handover: all('SELECT * FROM sms_handover ORDER BY first_seq'),
      finals: all('SELECT * FROM sms_final ORDER BY seq'),
      contradictions: all('SELECT rrid, mobile, status, code, received_at, arrived_at FROM sms_contradiction'),
      texts: all('SELECT * FROM sms_text ORDER BY batch_id'),
      indexes: all('SELECT list_id, path, covering FROM index_definition ORDER BY id'),
      push: all("SELECT value FROM meta WHERE name IN ('push_time', 'epoch') ORDER BY name"),
    }
  } finally {
    client.close()
  }
}
void putJob
