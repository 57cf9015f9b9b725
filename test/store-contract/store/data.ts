import { describe, expect, test } from 'bun:test'
import { defaultLimits } from '../../../src/tree/limits.ts'
import { parsePath } from '../../../src/tree/path.ts'
import { TRUSTED } from '../../../src/tree/read-program.ts'
import { planPut } from '../../../src/tree/write.ts'
import { count, exported, patch, plain, put, remove, shallow, unlimited, wide } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { Engine } from './contract.ts'
import { dataCases, LONG, long } from './data-cases.ts'

export function dataContract(engine: Engine): void {
  describe('data', () => {
    test.each(dataCases.map(([name, ...rest]) => [name, rest] as const))('%s', async (_, [steps, wanted, read]) => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      await using store = await engine.open(file)
      for (const [method, path, json] of steps) {
        if (method === 'PATCH') await patch(store, path, JSON.parse(json))
        else if (method === 'DELETE') await remove(store, path)
        else await put(store, path, JSON.parse(json))
      }
      expect(await exported(store)).toBe(wanted)
      expect(await plain(store)).toBe(read ?? wanted)
      await store.close()
      await using reopened = await engine.open(file)
      expect(await exported(reopened)).toBe(wanted)
      expect(await plain(reopened)).toBe(read ?? wanted)
    })

    test.each([
      ['/', '{"a":true,"list":true,"long":true,"n":true,"object":true,"p":true}', 6],
      ['/a', '1', 0],
      ['/list', '{"0":true,"2":true}', 2],
      ['/long', '{"1":true,"10":true,"07":true,"x":true}', 4],
      ['/long/x', long, 0],
      ['/n', '5', 0],
      ['/object', '{"x":true}', 1],
      ['/object/x', '{"y":true}', 1],
      ['/p', '{"x":true}', 1],
      ['/none', undefined, 0],
      ['/a/none', undefined, 0],
      ['/long/x/none', undefined, 0],
    ] as const)('shallow and count of %s', async (path, keys, children) => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      await put(store, '/', {
        a: 1,
        list: [1, null, { x: 1 }],
        long: { '07': 3, '10': 1, '1': 2, x: LONG },
        n: { '.value': 5, '.priority': 1 },
        object: { x: { y: 1 } },
        p: { x: 1, '.priority': 'p' },
      })
      // '07' is 7 and so stands before 10.
      const expected = path === '/long' ? '{"1":true,"07":true,"10":true,"x":true}' : keys
      expect(await shallow(store, path)).toBe(expected)
      expect(await count(store, path)).toBe(children)
    })

    test('a read longer than its limit is refused, cached or not', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      await put(store, '/', { leaf: LONG, object: { a: LONG }, list: [LONG, 1] })
      const small = { ...unlimited, maxLength: 4000 }
      for (const path of ['/', '/leaf', '/object', '/object/a', '/list']) {
        const refused = async () => store.node(parsePath(path), small, TRUSTED)
        await expect(refused()).rejects.toMatchObject({ code: 'read-too-big' })
        expect(await plain(store, path)).toBeString()
        await expect(refused()).rejects.toMatchObject({ code: 'read-too-big' })
      }
      expect(async () => store.shallow(['leaf'], small, undefined, TRUSTED)).toThrow()
      expect(async () => store.shallow([], { ...unlimited, maxLength: 10 }, undefined, TRUSTED)).toThrow()
    })

    test('a read exactly as long as its limit is answered', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      await using filled = await engine.open(file)
      await put(filled, '/', {
        object: { a: LONG, b: { c: { d: 1 } }, '"q"': { '\\': LONG } },
        list: [LONG, null, [1], { x: 1 }],
        numbers: { '1': LONG, '07': { x: 1 }, '10': 1 },
        wide: wide(1200, (index) => ({ index })),
        p: { '.value': LONG, '.priority': 'p' },
      })
      const wanted = new Map<string, number>()
      for (const path of ['/', '/object', '/object/b', '/list', '/list/2', '/numbers', '/wide', '/p']) {
        wanted.set(path, (await filled.node(parsePath(path), unlimited, TRUSTED))?.stored.length ?? 0)
      }
      const keys = (await shallow(filled, '/wide'))?.length ?? 0
      await filled.close()
      // Opened again, so that nothing is cached.
      await using store = await engine.open(file)
      for (const [path, maxLength] of wanted) {
        const refused = async () => store.node(parsePath(path), { ...unlimited, maxLength: maxLength - 1 }, TRUSTED)
        await expect(refused()).rejects.toMatchObject({ code: 'read-too-big' })
        expect((await store.node(parsePath(path), { ...unlimited, maxLength }, TRUSTED))?.stored.length).toBe(maxLength)
      }
      const refused = async () => store.shallow(['wide'], { ...unlimited, maxLength: keys - 1 }, undefined, TRUSTED)
      await expect(refused()).rejects.toMatchObject({ code: 'read-too-big' })
      expect((await store.shallow(['wide'], { ...unlimited, maxLength: keys }, undefined, TRUSTED))?.length).toBe(keys)
    })

    test('equal content has equal stored text, whatever its history', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      await put(store, '/one', { b: [1, 2], a: LONG, '10': 1, '9': { '.value': 1, '.priority': 2 } })
      await put(store, '/two/9', 1)
      await put(store, '/two/b/1', 2)
      await patch(store, '/two', { gone: LONG, a: LONG, 'b/0': 1, '10': 1 })
      await put(store, '/two/9/.priority', 2)
      await remove(store, '/two/gone')
      const [one, two] = [await store.node(['one'], unlimited, TRUSTED), await store.node(['two'], unlimited, TRUSTED)]
      expect(two?.stored).toBe(one?.stored ?? '')
      expect(two?.etag).toBe(one?.etag ?? '')
    })

    test('a plan of the deepest path is stored', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      const deep = `/${Array.from({ length: 32 }, (_, depth) => `k${depth}`).join('/')}`
      expect(() => planPut(parsePath(deep), { more: 1 }, defaultLimits)).toThrow()
      await put(store, deep, LONG)
      expect(await plain(store, deep)).toBe(long)
      expect(await count(store, '/k0/k1')).toBe(1)
      await remove(store, deep)
      expect(await plain(store)).toBeUndefined()
    })
  })
}
