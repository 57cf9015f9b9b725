import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Caller } from '../../../src/auth/caller.ts'
import type { Database, PathLike } from '../../../src/embedded.ts'
import { openTestDatabase } from '../../support/engine.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

const ANN: Caller = Object.freeze({ kind: 'user', auth: Object.freeze({ uid: 'ann' }) })
const RULES = JSON.stringify({
  rules: {
    users: { $user: { '.read': 'auth.uid === $user' } },
    rooms: { $room: { '.read': true } },
    $other: { '.read': true },
  },
})
const BOB = { phone: 'bob has a phone' }

let dir: TempDir
let database: Database

beforeAll(async () => {
  dir = await tempDir()
  database = await openTestDatabase({ file: dir.file('tree.sqlite'), rules: RULES })
  await database.put('/', { users: { ann: { phone: 1 }, bob: BOB }, rooms: { a: 1 } })
})

afterAll(async () => {
  await database.close()
  await dir[Symbol.asyncDispose]()
})

/** A list of keys is often made of what a client has sent: these are no keys. */
const NO_KEYS: readonly (readonly [why: string, path: readonly string[]])[] = [
  ['a slash', ['users/bob']],
  ['a slash below', ['rooms', 'a/b']],
  ['slashes around', ['/users/bob/']],
  ['nothing', ['']],
  ['nothing on the way', ['users', '', 'bob']],
  ['a dot', ['users', '..', 'users', 'bob']],
  ['a dollar sign', ['rooms', '$room']],
  ['a priority in the middle', ['users', '.priority', 'bob']],
  ['a control character', ['rooms', 'a\u0000']],
  ['half a character', ['rooms', '\ud800']],
]

/** Settles as the read does: `refused` or what was found, as JSON. */
async function outcome(read: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await read())
  } catch {
    return 'refused'
  }
}

describe('a list of keys is checked as text is', () => {
  test.each(NO_KEYS)('%s', async (_, path) => {
    // It is in the cache of texts then.
    await database.get('/users/bob')
    const reads: Readonly<Record<string, () => unknown>> = {
      get: () => database.get(path, { as: ANN }),
      query: () => database.query(path, { orderBy: '$key' }, { as: ANN }),
      shallow: () => database.shallow(path, undefined, { as: ANN }),
      count: () => database.count(path, undefined, { as: ANN }),
      watch: async () => {
        const watching = database.watch(path, { as: ANN })
        const { value } = await watching.next()
        await watching.return()
        return value
      },
    }
    for (const [name, read] of Object.entries(reads)) expect([name, await outcome(read)]).toEqual([name, 'refused'])
  })
})

test('what looks like the path of another node opens neither that node nor its text', async () => {
  await database.get('/users/bob')
  const wanted: readonly PathLike[] = [['users/bob'], ['users', 'bob'], '/users/bob', ['', 'users', 'bob']]
  for (const path of wanted) {
    expect(await outcome(() => database.get(path, { as: ANN }))).not.toContain(BOB.phone)
  }
})

test('rules mean the same after the file has been opened again', async () => {
  await using other = await tempDir()
  const file = other.file('tree.sqlite')
  // Half a character cannot be kept as UTF-8: another one would stand in its place.
  const rules = `{"rules":{"a":{".read":"'\ud800' == '\ufffd'"}}}`
  const before = await openTestDatabase({ file })
  const said = await outcome(() => before.setRules(rules))
  const kept = before.rules
  await before.close()
  const after = await openTestDatabase({ file })
  expect(after.rules).toBe(kept)
  expect(said).toBe('refused')
  await after.close()
})
