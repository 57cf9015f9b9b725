import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type CopyOptions, copyApplications } from '../../../src/admin/copy/copy.ts'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { runsInLanes } from '../../support/lane.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../support/postgres/cluster.ts'
import { put, strictObserver } from '../../support/store.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { learn, withApplication } from './rich-tree.ts'

interface Scene {
  readonly folder: string
  readonly back: string
  readonly server: { readonly url: string; readonly schema: string }
  readonly there: CopyOptions
  readonly home: CopyOptions
}

function sceneIn(dir: TempDir): Scene {
  const [folder, back] = [dir.file('data'), dir.file('back')]
  const server = { url: databaseUrl() ?? '', schema: freshSchema() }
  const rest = { ids: undefined, keepSource: false }
  return {
    folder,
    back,
    server,
    there: { from: { kind: 'folder', folder }, to: { kind: 'database', server }, ...rest },
    home: { from: { kind: 'database', server }, to: { kind: 'folder', folder: back }, ...rest },
  }
}

/** An object of enough text for an interior node. */
const branch = (text: string) => Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, text.repeat(50)]))

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'rows of a copy', () => {
  test('leave out what is being removed, of a file and of a database', async () => {
    await using dir = await tempDir()
    const { folder, back, server, there, home } = sceneIn(dir)
    await withApplication({ folder }, 'app', async ({ tree }) => {
      await put(tree, '/kept', branch('kept '))
      await put(tree, '/first/inside', branch('first '))
      await put(tree, '/first/long', 'x'.repeat(400_000))
      await put(tree, '/second/inside', branch('second '))
      await put(tree, '/long', 'y'.repeat(400_000))
    })
    const client = new Database(`${folder}/apps/app.sqlite`)
    // What a process leaves that is killed between a deletion and the removal of the rows.
    client.run("INSERT INTO detached SELECT id FROM node WHERE key IN ('first', 'long') AND parent_id = 1")
    client.run("DELETE FROM node WHERE key IN ('first', 'long') AND parent_id = 1")
    client.run('UPDATE interior SET child_count = child_count - 2 WHERE id = 1')
    client.close()
    await copyApplications(there, {})
    const database = await PostgresDatabase.open(server)
    try {
      const { lanes } = database
      await lanes.query("INSERT INTO detached SELECT tree, id FROM node WHERE key = 'second' AND parent_id = 1")
      await lanes.query("DELETE FROM node WHERE key = 'second' AND parent_id = 1")
      await lanes.query('UPDATE interior SET child_count = child_count - 1 WHERE id = 1')
      expect(
        await lanes.query("SELECT count(*)::int AS rows FROM node WHERE value LIKE '%first%' OR length(value) > 9999"),
      ).toEqual([{ rows: 0 }])
    } finally {
      await database.close()
    }
    await copyApplications(home, {})
    const after = await learn({ folder: back }, 'app')
    expect(JSON.parse(after.value)).toEqual({ kept: branch('kept ') })
    const copy = new Database(`${back}/apps/app.sqlite`, { readonly: true })
    expect(copy.query('SELECT count(*) AS rows FROM interior').get()).toEqual({ rows: 2 })
    copy.close()
  })

  test('are the same value for any sizes of rows and chunks', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.constantFrom('"\\', 'é\u{1F600}'.repeat(60)),
    )
    const leaf = fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean())
    const key = fc.oneof(
      fc.constantFrom('1', '02', '-3', 'a', 'ü', '"', '\\', '\u{1F600}'),
      fc.stringMatching(/^[a-z ~!]{1,9}$/),
    )
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 4, withCrossShrink: true }, leaf, tie('branch')),
      branch: fc.dictionary(key, tie('tree'), { minKeys: 1, maxKeys: 6, noNullPrototype: true }),
    }))
    await fc.assert(
      fc.asyncProperty(
        fc.array(tree, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(0, 30, 4096),
        async (values, inlineLength) => {
          await using dir = await tempDir()
          const { folder, back, server, there, home } = sceneIn(dir)
          const store = new SqliteStore(`${folder}/apps/app.sqlite`, { inlineLength, chunkLength: 8 }, strictObserver)
          for (const [at, value] of values.entries()) await put(store, `/v${at % 3}`, value)
          await store.close()
          const before = await learn({ folder }, 'app')
          await copyApplications(there, {})
          expect(await learn({ server }, 'app')).toEqual(before)
          await copyApplications(home, {})
          expect(await learn({ folder: back }, 'app')).toEqual(before)
        },
      ),
      { numRuns: runsInLanes(2, 20) },
    )
  })
})
