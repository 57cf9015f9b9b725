import { describe, expect, test } from 'bun:test'
import {
  ConditionFailedError,
  type DatabaseOptions,
  DholeError,
  openDatabase,
  parsePath,
} from '../../../src/embedded.ts'
import { openTestDatabase } from '../../support/engine.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** The code of the refusal, or what came instead of one. */
async function refusal(attempt: () => unknown): Promise<unknown> {
  try {
    return { resolved: await attempt() }
  } catch (error) {
    return error instanceof DholeError ? error.code : error
  }
}

describe('a tree without HTTP', () => {
  test('put, patch, post, delete, node, count, shallow', async () => {
    await using dir = await tempDir()
    await using database = await openTestDatabase({ file: dir.file('nested/tree.sqlite') })
    const path = parsePath('/users/jack')
    expect(await database.put(path, { age: 40, name: { first: 'Jack' }, none: null })).toMatchObject({
      kind: 'written',
      json: { age: 40, name: { first: 'Jack' }, none: null },
    })
    await database.patch(path, { 'name/last': 'Sparrow', age: null })
    expect((await database.node(path))?.plain).toBe('{"name":{"first":"Jack","last":"Sparrow"}}')
    const { name, etag } = await database.post(parsePath('/list'), 'Ahoy')
    expect(name).toMatch(/^[-\w]{20}$/)
    const child = await database.node(['list', name])
    expect([child?.plain, child?.etag]).toEqual(['"Ahoy"', etag])
    expect(await database.count([])).toBe(2)
    expect(await database.shallow([])).toBe('{"list":true,"users":true}')
    await database.delete(parsePath('/users'))
    expect(await database.node(path)).toBeUndefined()
    expect(await database.shallow(parsePath('/users'))).toBeUndefined()
  })

  test('paths as text, values as JSON', async () => {
    await using dir = await tempDir()
    await using database = await openTestDatabase({ file: dir.file('tree.sqlite') })
    await database.put('/a/b', { c: [1, null, 3], '.priority': 2 })
    expect(await database.get('a/b/')).toEqual({ c: [1, null, 3] })
    expect(await database.get('/a/b/.priority')).toBe(2)
    expect(await database.get('/none')).toBeNull()
    expect(await refusal(() => database.get('/a/b$c'))).toBe('bad-path')
  })

  test('conditions and server values', async () => {
    await using dir = await tempDir()
    await using database = await openTestDatabase({ file: dir.file('tree.sqlite') })
    const first = await database.put(['n'], { '.sv': { increment: 2 } }, { ifMatch: 'null_etag' })
    expect(first).toMatchObject({ kind: 'written', json: 2 })
    const failed = await database.put(['n'], 9, { ifMatch: 'null_etag' }).catch((error) => error)
    expect(failed).toBeInstanceOf(ConditionFailedError)
    expect(failed).toMatchObject({ code: 'condition-failed', etag: first.etag, current: { plain: '2' } })
    expect(failed.message).toBe('/n: ifMatch does not hold')
    expect(await database.get('/n')).toBe(2)
  })

  test('what is acknowledged is there when the file is opened again', async () => {
    await using dir = await tempDir()
    const file = dir.file('tree.sqlite')
    {
      await using database = await openTestDatabase({ file })
      await database.put(['a'], { '.value': 1, '.priority': 'p' })
    }
    await using again = await openTestDatabase({ file })
    expect((await again.node([]))?.export).toBe('{"a":{".priority":"p",".value":1}}')
  })

  test('refusals are errors of the closed list', async () => {
    await using dir = await tempDir()
    await using database = await openTestDatabase({
      file: dir.file('tree.sqlite'),
      limits: { maxLeafBytes: 3, maxReadBytes: 5 },
    })
    expect(await refusal(() => database.put(['a'], 'long'))).toBe('leaf-too-big')
    expect(await refusal(() => database.put(['a.b'], 1))).toBe('bad-path')
    expect(await refusal(() => database.put([''], 1))).toBe('empty-key')
    expect(await refusal(() => database.put(['a'], undefined))).toBe('bad-data')
    expect(await refusal(() => database.put(['a'], () => 1))).toBe('bad-data')
    expect(await refusal(() => database.put(['a'], 1n))).toBe('bad-data')
    expect(await refusal(() => database.patch(['a'], [1]))).toBe('bad-patch')
    expect(await refusal(() => database.patch(['a'], { b: 1, 'b/c': 2 }))).toBe('bad-parameter')
    expect(await refusal(() => database.post(['a', '.priority'], 1))).toBe('priority-method')
    expect(await refusal(() => database.put(['a', '.priority'], 1))).toBe('priority-on-nothing')
    await database.put([], { a: 'x', b: 'y' })
    expect(await refusal(() => database.node([]))).toBe('read-too-big')
  })

  test('a closed tree answers nothing', async () => {
    await using dir = await tempDir()
    const database = await openTestDatabase({ file: dir.file('tree.sqlite') })
    await database.put('/kept', 1)
    expect(await database.get('/kept')).toBe(1)
    await database.close()
    expect(await refusal(() => database.get('/kept'))).toBe('unavailable')
    await database.close()
    expect(await refusal(() => database.node([]))).toBe('unavailable')
    expect(await refusal(() => database.put(['a'], 1))).toBe('unavailable')
  })
})

describe('wrong options', () => {
  test.each([
    ['file', {}],
    ['file', { file: '' }],
    ['limits/maxLeaf', { file: 'x', limits: { maxLeaf: 1 } }],
    ['storage/walLimitBytes', { file: 'x', storage: { walLimitBytes: 0 } }],
    ['fiel', { file: 'x', fiel: 'y' }],
  ])('%s is named in a TypeError', (name, options) => {
    const open = () => openDatabase(options as unknown as DatabaseOptions)
    expect(open).toThrow(TypeError)
    expect(open).toThrow(name)
  })
})
