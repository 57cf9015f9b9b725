import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Caller } from '../../../src/auth/caller.ts'
import { Database } from '../../../src/database/database.ts'
import { DholeError } from '../../../src/error.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { databaseSettings } from '../../support/database-settings.ts'
import { strictObserver, wide } from '../../support/store.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { canWatch } from '../../support/watched-server.ts'
import { DEAR_RULES } from './dear-rules.ts'
import { writesDuring } from './rule-flood.ts'

/** What is allowed takes some hundred thousand steps, what is refused many more than a request has. */
const DEAR = wide(150, () => 1)
const TOO_DEAR = wide(5_000, () => 1)
const somebody: Caller = { kind: 'user', auth: null }

describe('a write whose rules take long', () => {
  let folder: TempDir
  let db: Database

  beforeEach(async () => {
    folder = await tempDir()
    const store = new SqliteStore(join(folder.path, 'tree.sqlite'), {}, strictObserver)
    db = new Database(store, { ...databaseSettings, rules: DEAR_RULES })
  })

  afterEach(async () => {
    await db.close()
    await folder[Symbol.asyncDispose]()
  })

  /** Begins all of them in one turn, so that they are in one transaction, and tells in which order they ended. */
  async function race(requests: Readonly<Record<string, () => Promise<unknown>>>): Promise<string[]> {
    const ended: string[] = []
    await Promise.all(
      Object.entries(requests).map(async ([name, request]) => {
        const outcome = await request().then(
          () => 'done',
          (error: unknown) => (error instanceof DholeError ? error.code : String(error)),
        )
        ended.push(`${name} ${outcome}`)
      }),
    )
    return ended
  }

  const dear = (value: unknown) => () => db.put('/list', value, { as: somebody })
  const small = (value: unknown) => () => db.put('/small', value, { as: somebody })
  const gate = (value: unknown) => () => db.put('/gate', value, { as: somebody })

  test('does not hold up those that came after it', async () => {
    expect(await race({ dear: dear(DEAR), small: small(1) })).toEqual(['small done', 'dear done'])
    expect(await db.get('/list')).toEqual(DEAR)
  })

  test('does not when it is refused for its costs', async () => {
    expect(await race({ dear: dear(TOO_DEAR), small: small(1) })).toEqual(['small done', 'dear permission-denied'])
    expect(await db.get('/list')).toBe(null)
  })

  test('is judged by what was written before it, though that was not durable yet', async () => {
    const ended = await race({ gate: gate('closed'), dear: dear(DEAR) })
    expect(ended).toEqual(['gate done', 'dear permission-denied'])
  })

  test('is judged anew when what its rules looked at was written after it', async () => {
    const ended = await race({ dear: dear(DEAR), gate: gate('closed') })
    expect(ended).toEqual(['gate done', 'dear permission-denied'])
    expect(await db.get('/list')).toBe(null)
  })

  test('is judged anew when rules were replaced after it', async () => {
    const rules = () => db.setRules('{"rules":{".read":true,".write":false}}')
    const ended = await race({ dear: dear(DEAR), rules })
    // Rules are in force before they are acknowledged, so the refusal may come first.
    expect(ended.toSorted()).toEqual(['dear permission-denied', 'rules done'])
  })

  test('is told that it is too much when what its rules look at does not come to rest', async () => {
    let isOver = false
    const restless = async () => {
      for (let count = 0; !isOver; count++) await gate(count)()
    }
    const ended = restless()
    const outcome = await db
      .put(
        '/list',
        wide(200, () => 1),
        { as: somebody },
      )
      .catch((error: unknown) => error)
    isOver = true
    await ended
    expect(outcome).toMatchObject({ code: 'unavailable' })
  })

  test('keeps one generated key and one time', async () => {
    const appended = db.post('/log', { ...wide(150, () => 1), at: { '.sv': 'timestamp' } }, { as: somebody })
    await small(1)()
    const { name } = await appended
    expect(Object.keys((await db.get('/log')) as object)).toEqual([name])
  })

  test('is done once when it comes twice with one key', async () => {
    const again = () => db.post('/log', DEAR, { as: somebody, idempotencyKey: 'one' })
    const [first, second] = await Promise.all([again(), again()])
    expect(second.name).toBe(first.name)
    expect([first, second].filter(({ replayed }) => replayed === true)).toHaveLength(1)
    expect(await db.count('/log')).toBe(1)
  })

  test('keeps its condition', async () => {
    await small(1)()
    const put = () => db.put('/list', DEAR, { as: somebody, ifMatch: 'null_etag' })
    const [first, second] = await Promise.all([put(), put()])
    expect([first.kind, second.kind].sort()).toEqual(['mismatch', 'written'])
  })
})

test.skipIf(!canWatch)('a few kilobytes do not hold the loop, nor other writers', async () => {
  // One may have come before the costly write, and one may have been answered together with it.
  expect(await writesDuring(1)).toBeGreaterThan(4)
})
