/** Requests that still wait when the keys that their callers were identified by are replaced. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Authenticator } from '../../../src/auth/authenticator.ts'
import { ADMIN } from '../../../src/auth/caller.ts'
import { FailedAttempts } from '../../../src/auth/failed-attempts.ts'
import { Database } from '../../../src/database/database.ts'
import { answerNode } from '../../../src/http/rest/node-route.ts'
import type { TreeStore } from '../../../src/store/store.ts'
import { databaseSettings } from '../../support/database-settings.ts'
import { openTestStore } from '../../support/engine.ts'
import { exchangeOf } from '../../support/exchange.ts'
import { withMembers } from '../../support/postgres/with-members.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

const [OLD, NEW] = ['a secret that is replaced, long enough', 'a secret that replaces it, long enough']
const REFUSED = { code: 'bad-token' }

let dir: TempDir
let database: Database
let authenticator: Authenticator
/** Lets what waits for the store go on. */
let goOn: () => void

beforeEach(async () => {
  dir = await tempDir()
  const gate = Promise.withResolvers<void>()
  goOn = gate.resolve
  const store = await openTestStore(dir.file('tree'), {})
  // As an engine that asks a database whether it knows the last commit.
  const waiting: TreeStore = withMembers(store, { fresh: () => gate.promise })
  database = new Database(waiting, databaseSettings)
  authenticator = new Authenticator({ application: 'app', secret: OLD, failedAttempts: new FailedAttempts(0) })
})

afterEach(async () => {
  await database.close()
  await dir[Symbol.asyncDispose]()
})

function answer(node: () => Promise<undefined>): Promise<Response> {
  const exchange = exchangeOf(new Request(`https://localhost/a.json?auth=${encodeURIComponent(OLD)}`))
  const application = { id: 'app', authenticator, database: withMembers(database, { node }) }
  return Promise.resolve(answerNode(withMembers(exchange, { application })))
}

test('a read is answered while the keys stay, and refused when they are replaced meanwhile', async () => {
  const [first, second] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
  const [answered, refused] = [first, second].map(({ promise }) => answer(() => promise))
  first.resolve(undefined)
  expect((await answered)?.status).toBe(200)
  authenticator.rotate(NEW)
  second.resolve(undefined)
  await expect(refused).rejects.toMatchObject(REFUSED)
})

describe('with keys that are replaced while it waits', () => {
  const access = () => ({ as: ADMIN, keys: authenticator.keys })

  test('a write is not done', async () => {
    goOn()
    const written = database.put('/a', 1, access())
    authenticator.rotate(NEW)
    await expect(written).rejects.toMatchObject(REFUSED)
    expect(await database.get('/a')).toBe(null)
    await database.put('/a', 2, access())
    expect(await database.get('/a')).toBe(2)
  })

  test('rules are not replaced', async () => {
    goOn()
    const before = database.rules
    const replaced = database.setRules('{"rules":{}}', 'test', undefined, access())
    authenticator.rotate(NEW)
    await expect(replaced).rejects.toMatchObject(REFUSED)
    expect(database.rules).toBe(before)
  })

  test('a stream is not opened', async () => {
    const told: unknown[] = []
    const sink = { write: (batch: unknown) => void told.push(batch), keepAlive() {}, end() {}, abort() {} }
    const opened = database.subscribe('/a', access(), sink as never)
    authenticator.rotate(NEW)
    database.revoke()
    goOn()
    await expect(opened).rejects.toMatchObject(REFUSED)
    expect(told).toEqual([])
  })
})
