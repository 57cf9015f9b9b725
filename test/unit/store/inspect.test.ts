import { Database as Client } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { openClosedApplication } from '../../../src/closed-application.ts'
import { treeFile } from '../../../src/data-folder/tree-file.ts'
import { openDatabase } from '../../../src/embedded.ts'
import { inspectFile } from '../../../src/store/sqlite/check/inspect.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { integrityProblems } from './integrity.ts'

/** What is done to a good file, and what is then told of it. */
const DAMAGES: readonly (readonly [sql: string, check: string])[] = [
  ['DELETE FROM closure WHERE depth = 1', 'a closure row is missing'],
  ['DELETE FROM closure WHERE depth = 0 AND ancestor > 1', 'an interior node lacks its own closure row'],
  ['UPDATE closure SET depth = depth + 1 WHERE depth = 1', 'a closure row has no meaning'],
  ['INSERT INTO closure VALUES (999, 999, 0)', 'a closure row has no meaning'],
  ["DELETE FROM node WHERE key = 'rooms'", 'an interior node has no slot'],
  ["DELETE FROM interior WHERE key = 'rooms'", 'a slot leads to no interior node'],
  ["DELETE FROM interior WHERE key = 'rooms'", 'a slot has no parent'],
  ["INSERT INTO node VALUES (0, 'x', 2, 'true', NULL)", 'there is a second root'],
  ["UPDATE interior SET child_count = child_count + 1 WHERE key = 'rooms'", 'a number of children is wrong'],
  ["UPDATE node SET value = '{' WHERE kind = 6 OR kind = 3", 'kind, value and id of a slot do not fit'],
  ["UPDATE node SET kind = 4 WHERE value = '1'", 'kind, value and id of a slot do not fit'],
  ['UPDATE interior SET traits = 0', 'traits do not tell of a child'],
  ['UPDATE index_definition SET list_id = 777', 'an index has no list'],
  ['DELETE FROM index_definition', 'entries have no index'],
  ['UPDATE index_definition SET has_cut = 0', 'an index does not tell of texts that it cut'],
  ['DELETE FROM index_entry WHERE value = 7', 'an index lacks an entry'],
  [
    "INSERT INTO index_entry VALUES ((SELECT id FROM index_definition), 3, 5, 'nobody', NULL)",
    'an index has entries too many',
  ],
  ['UPDATE index_entry SET value = 8.5 WHERE value = 7', 'an index lacks an entry'],
  ["UPDATE index_entry SET text = '{}' WHERE text LIKE '%two%'", 'an index has another text than its child'],
  ["UPDATE index_entry SET text = NULL WHERE text LIKE '%two%'", 'an index has another text than its child'],
  ['DELETE FROM change WHERE seq = (SELECT max(seq) - 2 FROM change)', 'the change log has a gap'],
  ['UPDATE change SET at = at + 1000000 WHERE seq = (SELECT min(seq) FROM change)', 'the change log goes back in time'],
  ["UPDATE change SET data = '{' WHERE data IS NOT NULL", 'an entry of the change log cannot be read'],
  ['UPDATE note SET at = at - 99999 WHERE seq = (SELECT max(seq) FROM note)', 'the notes go back in time'],
  ["UPDATE note SET text = '['", 'a note cannot be read'],
  ["DELETE FROM sms_batch WHERE rrid = 'told'", 'a message has no batch'],
  ['UPDATE sms_message SET status = 1 WHERE final_seq IS NOT NULL', 'the state of a message does not fit'],
  ['UPDATE sms_message SET status = 4 WHERE final_seq IS NULL', 'the state of a message does not fit'],
  ["UPDATE sms_final SET code = 'other'", 'a final state is not that of its message'],
  ["UPDATE sms_batch SET rrid = 'other' WHERE rrid = 'told'", 'a final state is not that of its message'],
  ['UPDATE sms_message SET final_seq = final_seq + 1', 'a final state is missing'],
  ['DELETE FROM sms_final WHERE seq = (SELECT seq FROM sms_final LIMIT 1 OFFSET 2)', 'a final state is missing'],
  ['UPDATE sms_final SET status = 1', 'a final state is none'],
  ['UPDATE sms_contradiction SET status = 0', 'a contradiction is of no final state'],
  ['UPDATE sms_handover SET last_seq = first_seq - 1', 'a handover ends before it begins'],
  ["DELETE FROM sms_batch WHERE rrid = 'final'", 'a stored answer is not that of its messages'],
  ["UPDATE sms_text SET text = '['", 'a stored answer is not that of its messages'],
  ["UPDATE sms_text SET text = json_remove(text, '$.data[3]')", 'a stored answer is not that of its messages'],
  ["UPDATE sms_text SET text = replace(text, 'CODE2', 'CODE3')", 'a stored answer is not that of its messages'],
  [
    'UPDATE sms_text SET text = replace(text, \'"status":2\', \'"status":3\')',
    'a stored answer is not that of its messages',
  ],
  ["UPDATE sms_batch SET rrid = 'other' WHERE rrid = 'final'", 'a stored answer is not that of its messages'],
  [
    'UPDATE sms_message SET status = 1 WHERE batch_id IN (SELECT batch_id FROM sms_text)',
    'a stored answer is not that of its messages',
  ],
  ["UPDATE sms_count SET value = value + 1 WHERE name = 'delivered'", 'a number of messages is wrong'],
  ["DELETE FROM sms_count WHERE name = 'notSent'", 'a number of messages is wrong'],
  ["DELETE FROM meta WHERE name = 'epoch'", 'the tree has no epoch'],
  ['UPDATE __drizzle_migrations SET created_at = created_at + 1000000', 'the file is of a newer version'],
  ['DROP TABLE __drizzle_migrations', 'this is no file of a tree'],
]

/** A closed file with nested lists, priorities, an index, a subtree that was deleted, notes, and text messages. */
async function goodFile(dir: TempDir): Promise<string> {
  await writeMessages(dir)
  const file = treeFile(dir.path, 'good')
  await using db = openDatabase({
    file,
    storage: { inlineLength: 30, shortList: 2 },
    indexes: { '/rooms': ['height'], '/numbers': [{ child: 'one', covering: true }] },
  })
  for (const key of ['one', 'two']) await db.put('/counted', { '.sv': { increment: 1 } }, { idempotencyKey: key })
  for (let index = 0; index < 20; index++) {
    await db.put(`/rooms/r${index}`, {
      height: index,
      name: `a room "${index}"`,
      chairs: { a: 1, b: { c: 'deep enough' } },
    })
  }
  await db.put('/rooms/17/.priority', 3).catch(() => {})
  await db.put(
    '/numbers',
    Object.fromEntries(Array.from({ length: 30 }, (_, index) => [index, { one: 1, two: 'two' }])),
  )
  await db.put('/rooms/long', { height: 'x'.repeat(2000) })
  await db.put('/leaf', 1)
  await db.put('/leaf', 2)
  await db.query('/rooms', { orderBy: 'height', limitToFirst: 3 })
  await db.query('/numbers', { orderBy: 'one', limitToFirst: 3 })
  await db.delete('/numbers/3')
  return file
}

/** Messages in every state, some told and some not, and a report that came too late. */
async function writeMessages(dir: TempDir): Promise<void> {
  const { messages, close } = await openClosedApplication(dir.path, 'good', { sms: { intervalMs: 0 } })
  const mobiles = Array.from({ length: 4 }, (_, at) => `1380013800${at}`)
  for (const rrid of ['told', 'new']) {
    await messages.record({ rrid, mobiles })
    const report = (at: number, state: 1 | 2 | 3) => ({
      message: { rrid, mobile: mobiles[at] ?? '' },
      state,
      code: `CODE${state}`,
      receivedAt: Date.now(),
    })
    await messages.report([report(0, 1), report(1, 2), report(2, 2), report(3, 3), report(1, 3)])
    if (rrid === 'told') await (await messages.lease()).acknowledge()
  }
  await messages.report([{ message: { rrid: 'new', mobile: '13800138000' }, state: 2, code: 'LAST', receivedAt: 1 }])
  await messages.record({ rrid: 'untold', mobiles })
  const many = Array.from({ length: 12 }, (_, at) => `139001380${at + 10}`)
  await messages.record({ rrid: 'final', mobiles: many })
  await messages.report(
    many.map((mobile) => ({ message: { rrid: 'final', mobile }, state: 2, code: 'CODE2', receivedAt: Date.now() })),
  )
  await close()
}

test('nothing is wrong with a file that was written as files are', async () => {
  await using dir = await tempDir()
  const file = await goodFile(dir)
  expect([...inspectFile(file)]).toEqual([])
  expect([...inspectFile(file, { quick: true })]).toEqual([])
  // What the tests know of a file and what is shipped agree.
  expect(integrityProblems(file)).toEqual([])
})

test('nothing is wrong with traits that an earlier version did not know', async () => {
  await using dir = await tempDir()
  const file = await goodFile(dir)
  for (const known of [64, 0]) {
    const client = new Client(file)
    client.run(`UPDATE interior SET traits = traits & ${15 | known}`)
    client.close()
    expect([...inspectFile(file)]).toEqual([])
  }
})

test('a file is inspected while it is written to, also with a subtree that is still being swept', async () => {
  await using dir = await tempDir()
  const file = join(dir.path, 'busy.sqlite')
  await using db = openDatabase({ file, storage: { inlineLength: 0 } })
  const wide = (depth: number): unknown =>
    depth === 0 ? 1 : Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`k${index}`, wide(depth - 1)]))
  await db.put('/deep', wide(4))
  const deleted = db.delete('/deep')
  const written = Array.from({ length: 50 }, (_, index) => db.put(`/n${index}`, { index }))
  await deleted
  const client = new Client(file, { readonly: true })
  const detached = client.prepare<{ rows: number }, []>('SELECT count(*) AS rows FROM detached')
  expect(detached.get()?.rows).toBe(1)
  detached.finalize()
  client.close()
  expect([...inspectFile(file)]).toEqual([])
  await Promise.all(written)
})

test('every kind of damage is told by its name', async () => {
  await using dir = await tempDir()
  const good = await goodFile(dir)
  for (const [index, [sql, check]] of DAMAGES.entries()) {
    const file = join(dir.path, `damaged${index}.sqlite`)
    copyFileSync(good, file)
    const client = new Client(file, { readwrite: true })
    client.run(sql)
    client.close()
    const problems = [...inspectFile(file)]
    expect(
      problems.map((found) => found.check),
      sql,
    ).toContain(check)
    for (const { detail } of problems) expect(detail.length).toBeGreaterThan(0)
  }
})

test('pages that are damaged are told, and nothing is read behind them', async () => {
  await using dir = await tempDir()
  const file = await goodFile(dir)
  const bytes = new Uint8Array(await Bun.file(file).arrayBuffer())
  for (let page = 2; page < bytes.length / 4096; page++) bytes.fill(0xa5, page * 4096 + 100, page * 4096 + 300)
  await Bun.write(file, bytes)
  const checks = new Set([...inspectFile(file)].map(({ check }) => check))
  expect([...checks].every((check) => check === 'a page is damaged' || check === 'the file cannot be read')).toBe(true)
  expect(checks.size).toBeGreaterThan(0)
})
