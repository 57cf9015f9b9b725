import '../../support/long-lane.ts'
import { expect, test } from 'bun:test'
import { Database } from '../../../src/database/database.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { type ChildServer, startChild } from '../../support/child-server.ts'
import { databaseSettings } from '../../support/database-settings.ts'
import { HeldSyncs } from '../../support/held-syncs.ts'
import type { Answer } from '../../support/https-server.ts'
import { longRuns } from '../../support/lane.ts'
import { strictObserver, turns, watch } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'

const ROUNDS = longRuns(4)
const CLIENTS = 6
/** Answers of a round before the process is killed, at random between these. */
const LEAST_ANSWERS = 40
const MOST_ANSWERS = 300

/** A write under its key, and the answer, if one came. */
interface Sent {
  readonly method: 'POST' | 'PATCH'
  readonly target: string
  readonly body: string
  readonly key: string
  answer: string | undefined
}

function send(server: ChildServer, { method, target, body, key }: Sent): Promise<Answer> {
  return server.call(method, target, { body, headers: { 'Idempotency-Key': key } })
}

/** Adds to a number and appends to a list, in turns, until the connection breaks. */
async function write(server: ChildServer, client: number, label: string, all: Sent[]): Promise<void> {
  for (let turn = 0; ; turn++) {
    const key = crypto.randomUUID()
    const sent: Sent =
      turn % 2 === 0
        ? { method: 'POST', target: '/list.json', body: `"${label}-${client}-${turn}"`, key, answer: undefined }
        : { method: 'PATCH', target: '/.json', body: ADD.replace('CLIENT', String(client)), key, answer: undefined }
    all.push(sent)
    const { status, text } = await send(server, sent)
    expect(status).toBe(200)
    sent.answer = text
  }
}

const ADD = '{"total":{".sv":{"increment":1}},"by/CLIENT":{".sv":{"increment":1}}}'

test('after kill -9 every write can be sent again, and none is done twice', async () => {
  await using dir = await tempDir()
  const options = { dataDir: dir.path, applications: { app: { open: true } } }
  const all: Sent[] = []
  let lost = 0
  for (let round = 0; round < ROUNDS; round++) {
    await using server = await startChild(options)
    const answered = () => all.filter(({ answer }) => answer !== undefined).length
    const killAt = answered() + LEAST_ANSWERS + Math.floor(Math.random() * (MOST_ANSWERS - LEAST_ANSWERS))
    let killed = false
    const failures: unknown[] = []
    const clients = Array.from({ length: CLIENTS }, (_, client) =>
      write(server, client, String(round), all).catch((failure: unknown) => {
        if (!killed) failures.push(failure)
      }),
    )
    while (answered() < killAt && failures.length === 0) await new Promise(setImmediate)
    killed = true
    await server.kill()
    await Promise.all(clients)
    expect(failures).toEqual([])

    await using again = await startChild(options)
    // All of them, in another order: whoever had an answer gets the same one.
    for (const sent of all.toReversed()) {
      const { status, text, headers } = await send(again, sent)
      const replayed = headers.get('idempotency-replayed') === 'true'
      expect(status).toBe(200)
      if (sent.answer === undefined) lost++
      else expect({ text, replayed }).toEqual({ text: sent.answer, replayed: true })
      sent.answer = text
    }
    const additions = all.filter(({ method }) => method === 'PATCH').length
    expect((await again.call('GET', '/total.json')).text).toBe(String(additions))
    const by = JSON.parse((await again.call('GET', '/by.json?format=export')).text) as Record<string, number>
    expect(Object.values(by).reduce((sum, number) => sum + number, 0)).toBe(additions)
    const list = JSON.parse((await again.call('GET', '/list.json')).text) as Record<string, string>
    const appended = all.filter(({ method }) => method === 'POST')
    expect(Object.values(list).toSorted()).toEqual(appended.map(({ body }) => JSON.parse(body) as string).toSorted())
    await again.kill()
  }
  // Each client had one under way each time.
  expect(lost).toBeGreaterThan(0)
})

test('nobody hears what became of a write before it is durable, not who sends it again either', async () => {
  await using dir = await tempDir()
  const syncs = new HeldSyncs()
  const store = new SqliteStore(dir.file('tree'), { syncLog: syncs.syncLog }, strictObserver)
  await using db = new Database(store, databaseSettings)
  await db.put('/n', 1)
  await store.swept()
  syncs.holding = true
  const add = () => db.put('/n', { '.sv': { increment: 1 } }, { idempotencyKey: 'k' })
  const first = watch(add())
  await syncs.arrived()
  const second = watch(add())
  const other = watch(db.put('/n', 5, { idempotencyKey: 'k' }))
  // So many that the store does not wait for the sync before it runs them all.
  const company = Promise.all(Array.from({ length: 64 }, () => db.delete('/none')))
  await turns(20)
  expect([first.state, second.state, other.state, await db.get('/n')]).toEqual(['waiting', 'waiting', 'waiting', 1])
  syncs.release()
  while (first.state === 'waiting' || second.state === 'waiting' || other.state === 'waiting') await turns(1)
  expect(first.value).toMatchObject({ kind: 'written', json: 2 })
  expect(second.value).toMatchObject({ kind: 'written', json: 2, replayed: true })
  expect(other).toMatchObject({ state: 'rejected', error: { code: 'key-reused' } })
  expect(await db.get('/n')).toBe(2)
  await company
})

test('what wrote nothing is remembered only when that is durable', async () => {
  await using dir = await tempDir()
  const file = dir.file('tree')
  const syncs = new HeldSyncs()
  {
    const store = new SqliteStore(file, { syncLog: syncs.syncLog }, strictObserver)
    await using db = new Database(store, databaseSettings)
    await db.put('/n', 1)
    await store.swept()
    syncs.holding = true
    const mismatch = watch(db.put('/n', 2, { ifMatch: 'other', idempotencyKey: 'k' }))
    await syncs.arrived()
    expect(mismatch.state).toBe('waiting')
    syncs.release()
    while (mismatch.state === 'waiting') await turns(1)
    expect(mismatch.value).toMatchObject({ kind: 'mismatch' })
  }
  await using db = new Database(new SqliteStore(file, {}, strictObserver), databaseSettings)
  await db.delete('/n')
  const again = await db.put('/n', 2, { ifMatch: 'other', idempotencyKey: 'k' })
  expect(again.kind === 'mismatch' && again.current?.plain).toBe('1')
})
