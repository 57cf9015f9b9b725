import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { ConditionFailedError, type Database } from '../../../src/embedded.ts'
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

const increment = (count: number | null) => (count ?? 0) + 1

test('many at once all count', async () => {
  const results = await Promise.all(
    Array.from({ length: 20 }, () => db.transaction<number>('/count', increment, { maxTries: 20 })),
  )
  expect(await db.get('/count')).toBe(20)
  expect(results.every(({ committed }) => committed)).toBe(true)
  expect(results.map(({ value }) => value).toSorted((left, right) => (left ?? 0) - (right ?? 0))).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  )
})

test('a write between reading and writing is seen by the next try', async () => {
  await db.put('/list', { a: 1 })
  const seen: unknown[] = []
  const result = await db.transaction<Record<string, number>>('/list', async (list) => {
    seen.push(structuredClone(list))
    if (seen.length === 1) await db.put('/list/b', 2)
    // What it was given may be changed and returned.
    if (list !== null) list['c'] = 3
    return list
  })
  expect(seen).toEqual([{ a: 1 }, { a: 1, b: 2 }])
  expect(result).toEqual({ committed: true, value: { a: 1, b: 2, c: 3 } })
  expect(await db.get('/list')).toEqual({ a: 1, b: 2, c: 3 })
})

test('undefined writes nothing and answers what is there', async () => {
  await db.put('/a', { b: 1 })
  const before = db.position()
  const result = await db.transaction<{ b: number }>('/a', (value) => {
    if (value !== null) value.b = 2
    return undefined
  })
  expect(result).toEqual({ committed: false, value: { b: 1 } })
  expect(db.position()).toEqual(before)
})

test('null deletes, and absent is null', async () => {
  await db.put('/a', 1)
  expect(await db.transaction('/a', () => null)).toEqual({ committed: true, value: null })
  expect(await db.get('/a')).toBeNull()
  expect(await db.transaction('/a', (value) => (value === null ? 'new' : 'old'))).toEqual({
    committed: true,
    value: 'new',
  })
})

test('conflicts without end are given up, and that is an error', async () => {
  let calls = 0
  const failed: unknown = await db
    .transaction<number>(
      '/contended',
      async () => {
        await db.put('/contended', ++calls)
        return -1
      },
      { maxTries: 3 },
    )
    .catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(ConditionFailedError)
  expect(failed).toMatchObject({ code: 'condition-failed', current: { plain: '3' } })
  expect(String(failed)).toContain('/contended: ')
  expect(calls).toBe(3)
  expect(await db.get('/contended')).toBe(3)
})

test('what the update throws is passed on, and nothing is written', async () => {
  await db.put('/a', 1)
  const own = new Error('no')
  const failed: unknown = await db
    .transaction('/a', () => {
      throw own
    })
    .catch((error: unknown) => error)
  expect(failed).toBe(own)
  expect(await db.get('/a')).toBe(1)
})

test('server values are filled in', async () => {
  const { value } = await db.transaction<unknown>('/a', () => ({ count: { '.sv': { increment: 2 } } }))
  expect(value).toEqual({ count: 2 })
})

test('priorities are kept by who asks for them', async () => {
  await db.put('/a', { '.priority': 7, x: 1 })
  await db.transaction<Record<string, unknown>>('/a', (value) => ({ ...value, x: 2 }), { export: true })
  expect((await db.node('/a'))?.export).toBe('{".priority":7,"x":2}')
})

test('rules decide for whom it may be done', async () => {
  await using directory = await tempDir()
  const rules = '{"rules":{"open":{".read":true,".write":true},"seen":{".read":true}}}'
  await using guarded = await openTestDatabase({ file: directory.file('tree.sqlite'), rules })
  const options = { as: { kind: 'anybody', auth: null } } as const
  expect(await guarded.transaction<number>('/open', increment, options)).toEqual({ committed: true, value: 1 })
  for (const path of ['/seen', '/hidden']) {
    const failed = guarded.transaction<number>(path, increment, options)
    await expect(failed).rejects.toMatchObject({ code: 'permission-denied', message: `${path}: Permission denied` })
  }
})

test.each([0, 1.5, Number.NaN])('%d tries are refused', async (maxTries) => {
  await expect(db.transaction('/a', () => 1, { maxTries })).rejects.toThrow(TypeError)
  expect(await db.get('/a')).toBeNull()
})
