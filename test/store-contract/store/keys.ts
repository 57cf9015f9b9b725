import { describe, expect, test } from 'bun:test'
import { parsePath } from '../../../src/tree/path.ts'
import { expectedKeyOrder } from '../../support/key-order.ts'
import { troublesomeKeys } from '../../support/payloads.ts'
import { count, exported, plain, put, remove, shallow } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { Engine } from './contract.ts'

const oddKeys = [
  ...troublesomeKeys,
  'toString',
  'hasOwnProperty',
  'valueOf',
  "'",
  '"',
  '\\',
  '\\u0041',
  ' ',
  '%2F',
  'a%',
  ':',
  ',',
  '{}',
  'é',
  'e\u0301',
  '\uF8FF',
  '\uFEFF',
  '\uFFFF',
  '\u2028',
  '\u{10FFFF}\u{10FFFF}',
  '-2147483648',
  '2147483647',
  '-2147483649',
  '007',
  '00',
  'k'.repeat(750),
  '中'.repeat(250),
]

const LONG = 'long '.repeat(1000)

export function keyContract(engine: Engine): void {
  describe('keys', () => {
    test.each([
      [
        'integers by value, then length',
        ['10', '9', '07', '7', '007', '-7', '-0', '0'],
        ['-7', '0', '-0', '7', '07', '007', '9', '10'],
      ],
      [
        '32 bits',
        ['2147483648', '2147483647', '-2147483649', '-2147483648'],
        ['-2147483648', '2147483647', '-2147483649', '2147483648'],
      ],
      [
        'astral before private use',
        ['\uF8FF', '\uE000', '😀', 'z', '\u{10FFFF}', '\uFFFF'],
        ['z', '😀', '\u{10FFFF}', '\uE000', '\uF8FF', '\uFFFF'],
      ],
      ['priority and punctuation', ['-', '/x'.slice(1), '!', '0a', ' '], [' ', '!', '-', '0a', 'x']],
    ] as const)('%s', async (_, given, ordered) => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      for (const text of ['', LONG]) {
        const expected = ordered.map((key) => `${JSON.stringify(key)}:${JSON.stringify(key + text)}`).join(',')
        await remove(store, '/')
        for (const key of given) await put(store, `/list/${key}`, key + text)
        expect(await plain(store, '/list')).toBe(`{${expected}}`)
        await put(store, '/list', Object.fromEntries(given.map((key) => [key, key + text])))
        expect(await exported(store, '/list')).toBe(`{${expected}}`)
        expect(await shallow(store, '/list')).toBe(`{${ordered.map((key) => `${JSON.stringify(key)}:true`).join(',')}}`)
      }
    })

    test.each(oddKeys.map((key) => [key.slice(0, 20), key] as const))(
      'the key %j is like any other',
      async (_, key) => {
        await using directory = await tempDir()
        await using store = await engine.open(directory.file('tree'))
        const quoted = JSON.stringify(key)
        await put(store, `/${key}`, 1)
        expect(await exported(store)).toBe(`{${quoted}:1}`)
        // As a key of the payload, of an object that is long, and beside others.
        await put(store, '/', JSON.parse(`{"zz":${JSON.stringify(LONG)},${quoted}:{"x":2}}`))
        expect(await plain(store, `/${key}/x`)).toBe('2')
        expect(await plain(store, `/${key}`)).toBe('{"x":2}')
        await put(store, `/${key}/x`, LONG)
        expect(await count(store)).toBe(2)
        expect(await plain(store, `/${key}`)).toBe(`{"x":${JSON.stringify(LONG)}}`)
        expect(await shallow(store)).toBe(
          `{${[key, 'zz']
            .sort(expectedKeyOrder)
            .map((name) => `${JSON.stringify(name)}:true`)
            .join(',')}}`,
        )
        await remove(store, '/zz')
        await remove(store, `/${key}/x`)
        expect(await plain(store)).toBeUndefined()
        expect(await plain(store, `/${key}`)).toBeUndefined()
      },
    )

    test('all of them stand in one object, in order', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      for (const key of oddKeys) await put(store, `/${key}`, oddKeys.indexOf(key))
      const expected = oddKeys
        .toSorted(expectedKeyOrder)
        .map((key) => `${JSON.stringify(key)}:${oddKeys.indexOf(key)}`)
        .join(',')
      expect(await plain(store)).toBe(`{${expected}}`)
      expect(await count(store)).toBe(oddKeys.length)
    })

    test('a key of 768 bytes fills the path', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      // The path counts one more for each key, so 767 is what a key of the first level may have.
      const key = 'k'.repeat(767)
      await put(store, `/${key}`, LONG)
      expect(await plain(store, `/${key}`)).toBe(JSON.stringify(LONG))
      expect(() => parsePath(`/${key}k`)).toThrow()
    })

    test('inherited names are no nodes', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      for (const text of ['', LONG]) {
        await put(store, '/', { a: { b: 1, text } })
        for (const name of ['__proto__', 'constructor', 'toString', 'length']) {
          for (const path of [`/${name}`, `/a/${name}`, `/a/b/${name}`, `/a/${name}/name`]) {
            expect(await plain(store, path)).toBeUndefined()
            expect(await count(store, path)).toBe(0)
            await remove(store, path)
          }
        }
        expect(await plain(store, '/a/b')).toBe('1')
      }
    })
  })
}
