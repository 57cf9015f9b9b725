import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Database, DholeError } from '../../../src/embedded.ts'
import { openTestDatabase } from '../../support/engine.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

let dir: TempDir
let db: Database

beforeAll(async () => {
  dir = await tempDir()
  db = await openTestDatabase({ file: dir.file('tree.sqlite'), limits: { maxLeafBytes: 10 } })
  await db.put('/kept', 1)
})

afterAll(async () => {
  await db.close()
  await dir[Symbol.asyncDispose]()
})

async function refusal(attempt: () => Promise<unknown>): Promise<readonly [code: string, message: string]> {
  const error: unknown = await attempt().catch((thrown: unknown) => thrown)
  if (!(error instanceof DholeError)) throw new Error(`not refused: ${String(error)}`)
  return [error.code, error.message]
}

/** Twice, so that whoever follows both to a depth of 32 never ends. */
const selfish: Record<string, unknown> = {}
selfish['again'] = { also: selfish, too: selfish }

describe('what is no JSON is refused where it stands', () => {
  test.each<readonly [place: string, found: string, json: unknown]>([
    ['/a/b', 'a Date', { b: new Date(0) }],
    ['/a', 'a Date', new Date(0)],
    ['/a/list/1/x', 'a Map', { list: [1, { x: new Map([[1, 2]]) }] }],
    ['/a/b', 'a Set', { b: new Set() }],
    ['/a/b', 'a RegExp', { b: /x/ }],
    ['/a/b', 'an Uint8Array', { b: new Uint8Array(2) }],
    ['/a/b', 'an Error', { b: new Error('x') }],
    ['/a/b', 'a Promise', { b: Promise.resolve(1) }],
    ['/a/b', 'an URL', { b: new URL('https://example.org') }],
    ['/a/b', 'undefined', { b: undefined }],
    ['/a', 'undefined', undefined],
    ['/a/0', 'undefined', new Array(1)],
    ['/a/b', 'NaN', { b: Number.NaN }],
    ['/a/b', '-Infinity', { b: -Infinity }],
    ['/a/b', 'a function', { b: () => 1 }],
    ['/a/b', 'a bigint', { b: 1n }],
    ['/a/b', 'a symbol', { b: Symbol('x') }],
  ])('%s: %s', async (place, found, json) => {
    const expected = ['bad-data', `${place}: expected a JSON value, got ${found}`] as const
    expect(await refusal(() => db.put('/a', json))).toEqual(expected)
    if (json !== undefined) expect(await refusal(() => db.transaction('/a', () => json))).toEqual(expected)
    expect(await refusal(() => db.patch('/', { kept: 2, a: json }))).toEqual(expected)
    expect(await db.get('/')).toEqual({ kept: 1 })
  })

  test('an object that contains itself', async () => {
    const [code, message] = await refusal(() => db.put('/a', selfish))
    expect([code, message.slice(0, 20)]).toEqual(['too-deep', '/a/again/also/again/'])
  })

  test('objects of classes and without prototype are taken by their members', async () => {
    class Point {
      x = 1
    }
    await db.put('/a', { point: new Point(), bare: Object.assign(Object.create(null), { y: 2 }) })
    expect(await db.get('/a')).toEqual({ point: { x: 1 }, bare: { y: 2 } })
    await db.delete('/a')
  })
})

describe('other failures name the place too', () => {
  test.each<readonly [code: string, start: string, attempt: () => Promise<unknown>]>([
    ['bad-key', '/a/x/b.c: ', () => db.put('/a', { x: { 'b.c': 1 } })],
    ['empty-key', '/a/: ', () => db.put('/a', { '': 1 })],
    ['leaf-too-big', '/a/list/1: ', () => db.put('/a', { list: ['short', 'much too long'] })],
    ['leaf-too-big', '/p/q/r: ', () => db.patch('/p', { 'q/r': 'much too long' })],
    ['bad-key', '/p/a$b: ', () => db.patch('/p', { ok: 1, a$b: 1 })],
    ['bad-parameter', '/p: ', () => db.patch('/p', { a: 1, 'a/b': 2 })],
    ['bad-patch', '/p: ', () => db.patch('/p', [1])],
    ['bad-server-value', '/a/b: ', () => db.put('/a', { b: { '.sv': 'moon' } })],
    ['bad-path', '/a$b: ', () => db.get('/a$b')],
    ['bad-path', '/a$b: ', () => db.put('/a$b', 1)],
    ['bad-path', '/x/a#b: ', () => db.node(['x', 'a#b'])],
    ['priority-on-nothing', '/none/.priority: ', () => db.put('/none/.priority', 1)],
    ['leaf-too-big', '/list: ', () => db.post('/list', 'much too long')],
  ])('%s: %s', async (code, start, attempt) => {
    const [refusedWith, message] = await refusal(attempt)
    expect([refusedWith, message.slice(0, start.length)]).toEqual([code, start])
    // Named once.
    expect(message.slice(start.length)).not.toMatch(/^\/\S*: /)
    expect(await db.get('/')).toEqual({ kept: 1 })
  })
})
