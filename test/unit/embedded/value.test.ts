import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Database, ValueOptions } from '../../../src/embedded.ts'
import { openTestDatabase } from '../../support/engine.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

let dir: TempDir
let db: Database

beforeAll(async () => {
  dir = await tempDir()
  db = await openTestDatabase({ file: dir.file('tree.sqlite') })
})

beforeEach(async () => {
  await db.delete('/')
})

afterAll(async () => {
  await db.close()
  await dir[Symbol.asyncDispose]()
})

/** What a listener was called with, and the next thing to come. */
class Heard {
  readonly values: unknown[] = []
  readonly errors: unknown[] = []
  readonly stop: () => void
  #wake: (() => void) | undefined

  constructor(on: Database, path: string, options: Omit<ValueOptions, 'onError'> = {}, then?: () => void) {
    const onError = (error: unknown) => {
      this.errors.push(error)
      this.#wake?.()
    }
    this.stop = on.onValue(path, { ...options, onError }, (value) => {
      this.values.push(value)
      this.#wake?.()
      then?.()
    })
  }

  /** Resolves when there are so many values, or an error. */
  async until(values: number): Promise<this> {
    while (this.values.length < values && this.errors.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this
  }
}

test('the value now, and the value after each change', async () => {
  using heard = disposable(new Heard(db, '/room'))
  await heard.until(1)
  await db.put('/room', { topic: 'Ahoy', list: [1, 2] })
  await heard.until(2)
  await db.put('/room/list/2', 3)
  await heard.until(3)
  await db.put('/other', 1)
  await db.delete('/room')
  await heard.until(4)
  expect(heard.values).toEqual([null, { topic: 'Ahoy', list: [1, 2] }, { topic: 'Ahoy', list: [1, 2, 3] }, null])
  expect(heard.errors).toEqual([])
})

test('the last value is always told, however many changes are made at once', async () => {
  using heard = disposable(new Heard(db, '/count'))
  await heard.until(1)
  await Promise.all(Array.from({ length: 50 }, (_, index) => db.put('/count', index)))
  const last = await db.get('/count')
  while (heard.values.at(-1) !== last) await heard.until(heard.values.length + 1)
  const numbers = heard.values.slice(1).map(Number)
  expect(numbers).toEqual(numbers.toSorted((left, right) => left - right))
})

test('nothing is told after the end, not even what was being read', async () => {
  const ends: readonly ((heard: Heard) => Promise<unknown> | undefined)[] = [
    // Before the stream is open.
    () => undefined,
    // With a change committed whose value may be under way.
    async (heard) => {
      await heard.until(1)
      await db.put('/a', 2)
    },
  ]
  for (const before of ends) {
    await db.put('/a', 1)
    const heard = new Heard(db, '/a')
    await before(heard)
    heard.stop()
    heard.stop()
    const { length } = heard.values
    using witness = disposable(new Heard(db, '/a'))
    await db.put('/a', 'last')
    while (witness.values.at(-1) !== 'last') await witness.until(witness.values.length + 1)
    expect([heard.values.length, heard.errors]).toEqual([length, []])
  }
})

test('a callback may end its own listener', async () => {
  const heard: Heard = new Heard(db, '/a', {}, () => heard.stop())
  await heard.until(1)
  using witness = disposable(new Heard(db, '/a'))
  await db.put('/a', 'last')
  while (witness.values.at(-1) !== 'last') await witness.until(witness.values.length + 1)
  expect(heard.values).toEqual([null])
})

test('what a query chooses', async () => {
  await db.put('/scores', { ann: 3, bob: 9, cat: 5 })
  using heard = disposable(new Heard(db, '/scores', { query: { orderBy: '$value', limitToLast: 2 } }))
  await heard.until(1)
  await db.put('/scores/dan', 7)
  await heard.until(2)
  expect(heard.values).toEqual([
    { bob: 9, cat: 5 },
    { bob: 9, dan: 7 },
  ])
})

test('with priorities where they are asked for', async () => {
  await db.put('/a', { '.value': 1, '.priority': 2 })
  using heard = disposable(new Heard(db, '/a', { export: true }))
  expect((await heard.until(1)).values).toEqual([{ '.value': 1, '.priority': 2 }])
})

test('a failure at the start is told', async () => {
  expect((await new Heard(db, '/a$b').until(1)).errors).toMatchObject([
    { code: 'bad-path', message: '/a$b: Invalid path: Invalid token in path.' },
  ])
  const query = { orderBy: 'a//' } as const
  expect((await new Heard(db, '/a', { query: { ...query, limitToFirst: -1 } }).until(1)).errors).toHaveLength(1)
})

test('who may not read any more is told so, once, and nothing else', async () => {
  await using directory = await tempDir()
  await using guarded = await openTestDatabase({
    file: directory.file('tree.sqlite'),
    rules: '{"rules":{".read":true}}',
  })
  const heard = new Heard(guarded, '/a', { as: { kind: 'anybody', auth: null } })
  await heard.until(1)
  await guarded.setRules('{"rules":{}}')
  await heard.until(2)
  await guarded.put('/a', 'secret')
  expect(heard.values).toEqual([null])
  expect(heard.errors).toMatchObject([{ code: 'permission-denied', message: '/a: Permission denied' }])
})

test('a callback that throws ends listening, and is told of', async () => {
  const own = new Error('mine')
  const heard = new Heard(db, '/a', {}, () => {
    throw own
  })
  while (heard.errors.length === 0) await heard.until(2)
  expect(heard.errors).toEqual([own])
  await db.put('/a', 1)
  await db.get('/a')
  expect(heard.values).toEqual([null])
})

test('closing the database ends listening', async () => {
  await using directory = await tempDir()
  const closing = await openTestDatabase({ file: directory.file('tree.sqlite') })
  const heard = await new Heard(closing, '/a').until(1)
  await closing.close()
  expect([heard.values, heard.errors]).toEqual([[null], []])
})

function disposable(heard: Heard): Heard & Disposable {
  return Object.assign(heard, { [Symbol.dispose]: () => heard.stop() })
}
