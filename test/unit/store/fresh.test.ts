import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ANONYMOUS } from '../../../src/auth/caller.ts'
import { Database } from '../../../src/database/database.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { databaseSettings } from '../../support/database-settings.ts'
import { strictObserver, turns } from '../../support/store.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

const CLOSED = '{"rules":{}}'
const OPEN = '{"rules":{".read":true,".write":true}}'

/** Knows the settings that are stored only after a call of `fresh`, as an engine does that others write to. */
class LateStore extends SqliteStore {
  #isFresh = false

  override async fresh(): Promise<void> {
    await turns(50)
    this.#isFresh = true
  }

  override setting(name: string): string | undefined {
    return this.#isFresh ? super.setting(name) : undefined
  }
}

let dir: TempDir

beforeAll(async () => {
  dir = await tempDir()
  await using db = open(new SqliteStore(dir.file('tree'), {}, strictObserver))
  await db.setRules(CLOSED)
})

afterAll(() => dir[Symbol.asyncDispose]())

/** A database whose own rules allow everything, unlike those that are stored. */
function open(store: SqliteStore): Database {
  return new Database(store, { ...databaseSettings, rules: OPEN })
}

const late = () => open(new LateStore(dir.file('tree'), {}, strictObserver))

test('a write is refused by the rules that are stored, though those known before would admit it', async () => {
  await using db = late()
  await expect(db.put(['a'], 1, { as: ANONYMOUS })).rejects.toMatchObject({ code: 'permission-denied' })
})

test('a write is admitted early by the rules that are stored, not by those known before', async () => {
  await using other = await tempDir()
  await using first = open(new SqliteStore(other.file('tree'), {}, strictObserver))
  await first.setRules(OPEN)
  await first.close()
  const store = new LateStore(other.file('tree'), {}, strictObserver)
  await using db = new Database(store, { ...databaseSettings, rules: CLOSED })
  expect(await db.admitWrite('PUT', ['a'], { as: ANONYMOUS }, undefined)).toBe(false)
})

test('the first rules of a database replace none that are stored already', async () => {
  const store = new LateStore(dir.file('tree'), {}, strictObserver)
  await using db = new Database(store, { ...databaseSettings, rules: OPEN, keepRules: true })
  await db.settled()
  await db.fresh()
  expect(db.rules).toBe(CLOSED)
})

test('the rules are those that are stored once the database is fresh', async () => {
  await using db = late()
  await db.fresh()
  expect([db.rules, db.hasOwnRules]).toEqual([CLOSED, true])
})
