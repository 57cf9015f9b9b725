import { describe, expect, test } from 'bun:test'
import { type Family, makeQuery, type QuerySpec } from '../../../src/query/query.ts'
import { parsePath } from '../../../src/tree/path.ts'
import { TRUSTED } from '../../../src/tree/read-program.ts'
import { longTest } from '../../support/lane.ts'
import { exported, plain, put, remove, unlimited, wide } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { countChosen, query } from '../../unit/store/queries.ts'
import type { Engine } from './contract.ts'

const LONG = 'long '.repeat(1000)

const scores = { ann: 55, bob: 21, cat: 80, dan: 93, eve: 5 }
const mixed = {
  a: { h: 2 },
  b: { h: false },
  c: { h: 'x' },
  d: { n: 1 },
  e: { h: { z: 1 } },
  f: { h: true },
  g: { h: 2 },
  i: { h: -1.5 },
}
const keyed = { '10': 't', '9': 'n', '1': 'o', a: 'A', B: 'b' }
const ranked = {
  x: { '.value': 1, '.priority': 'b' },
  y: { '.value': 2, '.priority': 10 },
  z: 3,
  w: { '.value': 4, '.priority': 2 },
}
const prefixed = { x: 'b\uF8FF', y: 'b😀', z: 'c' }

/** What stands in the list, how it is asked, and the keys of the answer in its order. */
const rows: readonly (readonly [string, object, QuerySpec, readonly string[], Family?])[] = [
  ['values', scores, { orderBy: '$value' }, ['eve', 'bob', 'ann', 'cat', 'dan']],
  ['the last, ascending', scores, { orderBy: '$value', limitToLast: 3 }, ['ann', 'cat', 'dan']],
  ['the first', scores, { orderBy: '$value', limitToFirst: 2 }, ['eve', 'bob']],
  ['more than there are', scores, { orderBy: '$value', limitToLast: 9 }, ['eve', 'bob', 'ann', 'cat', 'dan']],
  ['between values', scores, { orderBy: '$value', startAt: 21, endAt: 55 }, ['bob', 'ann']],
  ['strictly between values', scores, { orderBy: '$value', startAfter: 21, endBefore: 80 }, ['ann']],
  ['behind one, the first', scores, { orderBy: '$value', startAfter: 21, limitToFirst: 1 }, ['ann']],
  ['another type', scores, { orderBy: '$value', equalTo: '55' }, []],
  ['an empty range', scores, { orderBy: '$value', startAt: 60, endAt: 50 }, []],
  ['between keys', scores, { orderBy: '$key', startAt: 'b', endAt: 'd' }, ['bob', 'cat']],
  ['one key', scores, { orderBy: '$key', equalTo: 'cat' }, ['cat']],
  ['no such key', scores, { orderBy: '$key', equalTo: '' }, []],
  ['children of all kinds', mixed, { orderBy: 'h' }, ['d', 'b', 'f', 'i', 'a', 'g', 'c', 'e']],
  ['those without', mixed, { orderBy: 'h', equalTo: null }, ['d']],
  ['from a number on', mixed, { orderBy: 'h', startAt: 2 }, ['a', 'g', 'c', 'e']],
  ['up to a number', mixed, { orderBy: 'h', endAt: 2 }, ['d', 'b', 'f', 'i', 'a', 'g']],
  ['up to a text', mixed, { orderBy: 'h', endAt: 'z' }, ['d', 'b', 'f', 'i', 'a', 'g', 'c']],
  ['between false and true', mixed, { orderBy: 'h', startAt: false, endAt: true }, ['b', 'f']],
  ['from a value and key on', mixed, { orderBy: 'h', startAt: [2, 'b'] }, ['g', 'c', 'e']],
  ['behind a value and key', mixed, { orderBy: 'h', startAfter: [2, 'a'], limitToFirst: 1 }, ['g']],
  ['up to a value and key', mixed, { orderBy: 'h', endAt: [2, 'a'], limitToLast: 2 }, ['i', 'a']],
  ['before a value and key', mixed, { orderBy: 'h', endBefore: [2, 'a'], limitToLast: 1 }, ['i']],
  ['a value and key', mixed, { orderBy: 'h', equalTo: [2, 'g'] }, ['g']],
  ['a value and the key of another', mixed, { orderBy: 'h', equalTo: [2, 'c'] }, []],
  ['a deeper child', mixed, { orderBy: 'h/z', limitToLast: 2 }, ['i', 'e']],
  ['a child of none', mixed, { orderBy: 'no/such', limitToLast: 2 }, ['g', 'i']],
  ['keys as text', keyed, { orderBy: '$key' }, ['1', '10', '9', 'B', 'a'], 'wilddog'],
  ['keys, integers first', keyed, { orderBy: '$key' }, ['1', '9', '10', 'B', 'a']],
  ['keys as text, from one on', keyed, { orderBy: '$key', startAt: '2' }, ['9', 'B', 'a'], 'wilddog'],
  ['keys, from an integer on', keyed, { orderBy: '$key', startAt: '2' }, ['9', '10', 'B', 'a']],
  ['keys as text, the last', keyed, { orderBy: '$key', limitToLast: 3 }, ['9', 'B', 'a'], 'wilddog'],
  ['keys as text, up to one', keyed, { orderBy: '$key', endBefore: '9', limitToLast: 1 }, ['10'], 'wilddog'],
  ['priorities', ranked, { orderBy: '$priority' }, ['z', 'w', 'y', 'x']],
  ['priorities that are numbers', ranked, { orderBy: '$priority', startAt: 0, endAt: 99 }, ['w', 'y']],
  ['no priority', ranked, { orderBy: '$priority', equalTo: null }, ['z']],
  ['values below priorities', ranked, { orderBy: '$value', startAt: 2 }, ['y', 'z', 'w']],
  ['texts by code unit', prefixed, { orderBy: '$value', startAt: 'b', endAt: 'b\uF8FF' }, ['y', 'x']],
]

/** An object of some children's texts, in an order of one's own. */
function objectOf(keys: readonly string[], text: (key: string) => string | undefined): string {
  return `{${keys.map((key) => `${JSON.stringify(key)}:${text(key)}`).join(',')}}`
}

/** The same children, each much longer but sorted as before. */
function lengthened(list: object): object {
  const entries = Object.entries(list).map(([key, child]) => {
    const isPlain = typeof child !== 'object' || '.value' in child
    return [key, isPlain ? child : { ...child, text: LONG }]
  })
  return Object.fromEntries(entries)
}

export function queryContract(engine: Engine): void {
  describe('queries', () => {
    test.each(rows)('%s', async (_, list, spec, keys, family = 'firebase') => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      await using store = await engine.open(file)
      const bounded = { ...spec, limitToFirst: undefined, limitToLast: undefined }
      const isLimited = spec.limitToFirst !== undefined || spec.limitToLast !== undefined
      for (const content of [list, lengthened(list)]) {
        await put(store, '/list', { ...content, '.priority': 5 })
        const texts = new Map<string, string | undefined>()
        const exports = new Map<string, string | undefined>()
        for (const key of keys) {
          texts.set(key, await plain(store, `/list/${key}`))
          exports.set(key, await exported(store, `/list/${key}`))
        }
        const got = await store.query(['list'], makeQuery(spec, family), unlimited, TRUSTED)
        expect(got?.plain).toBe(objectOf(keys, (key) => texts.get(key)))
        expect(got?.export).toBe(objectOf(keys, (key) => exports.get(key)))
        if (!isLimited) expect(await countChosen(store, '/list', bounded, family)).toBe(keys.length)
      }
      const before = (await store.query(['list'], makeQuery(spec, family), unlimited, TRUSTED))?.etag
      await store.close()
      await using reopened = await engine.open(file)
      const again = await reopened.query(['list'], makeQuery(spec, family), unlimited, TRUSTED)
      expect(again?.etag).toBe(before as string)
    })

    test('a covering index answers what the children are after every write to them', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      await store.declareIndexes([{ list: ['list'], path: ['h'], covering: true }])
      await put(
        store,
        '/list',
        wide(100, (index) => ({ h: index, text: index % 3 === 0 ? LONG : 'short' })),
      )
      const writes: readonly (readonly [string, unknown])[] = [
        ['/list/k5/text', 'changed'],
        ['/list/k5/deep/er', { '.sv': { increment: 1 } }],
        ['/list/k5/deep', null],
        ['/list/k5/.priority', 7],
        ['/list/k5/h/.priority', 8],
        ['/list/k5/text', LONG],
        ['/list/k5/text', 'short again'],
        ['/list/k6/text', 'short now'],
        ['/list/k7', { h: 7, text: 'another' }],
        ['/list/k7', { h: 8, text: 'moved' }],
        ['/list/k8', null],
        ['/list/k8', { h: 9 }],
        ['/list/k9/h', 'text'],
      ]
      for (const [path, json] of writes) {
        if (json === null) await remove(store, path)
        else await put(store, path, json)
        const got = await store.query(['list'], makeQuery({ orderBy: 'h' }, 'firebase'), unlimited, TRUSTED)
        const keys = Object.keys(JSON.parse(String(got?.plain)))
        expect(keys).toHaveLength(path === '/list/k8' && json === null ? 99 : 100)
        const texts = new Map<string, string | undefined>()
        for (const key of keys) texts.set(key, await exported(store, `/list/${key}`))
        expect(got?.export, path).toBe(objectOf(keys, (key) => texts.get(key)))
      }
    })

    test('elements in their places are an array, all others an object', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      for (const text of ['', LONG]) {
        await put(store, '/list', [`a${text}`, `c${text}`, `b${text}`])
        const [a, c, b] = [`a${text}`, `c${text}`, `b${text}`].map((each) => JSON.stringify(each))
        expect(await query(store, '/list', { orderBy: '$key' })).toBe(`[${a},${c},${b}]`)
        expect(await query(store, '/list', { orderBy: '$key', limitToFirst: 2 })).toBe(`[${a},${c}]`)
        expect(await query(store, '/list', { orderBy: '$key', limitToLast: 2 })).toBe(`{"1":${c},"2":${b}}`)
        expect(await query(store, '/list', { orderBy: '$value' })).toBe(`{"0":${a},"2":${b},"1":${c}}`)
        const answered = await store.query(['list'], makeQuery({ orderBy: '$key' }, 'firebase'), unlimited, TRUSTED)
        expect(answered?.export).toBe(`{"0":${a},"1":${c},"2":${b}}`)
      }
    })

    test('leaves, and places where nothing is', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      await put(store, '/', {
        leaf: 5,
        ranked: { '.value': 'x', '.priority': 1 },
        long: LONG,
        object: { a: { b: LONG } },
      })
      const all = makeQuery({ orderBy: '$value' }, 'firebase')
      expect(await query(store, '/leaf', { orderBy: 'h' })).toBe('5')
      expect((await store.query(['ranked'], all, unlimited, TRUSTED))?.export).toBe('"x"')
      for (const path of ['/leaf', '/ranked', '/long', '/object/a/b']) {
        expect(await query(store, path, { orderBy: '$value', limitToFirst: 1 })).toBeUndefined()
        expect(await query(store, path, { orderBy: '$key', startAt: 'a' })).toBeUndefined()
        expect(await countChosen(store, path, { orderBy: '$value' })).toBe(0)
        expect(await countChosen(store, path, { orderBy: '$value', equalTo: 5 })).toBe(0)
      }
      for (const path of ['/none', '/leaf/none', '/object/a/b/c', '/object/none']) {
        expect(await query(store, path, { orderBy: '$value' })).toBeUndefined()
        expect(await countChosen(store, path, { orderBy: '$value' })).toBe(0)
        expect(
          await store.shallow(parsePath(path), unlimited, makeQuery({ orderBy: '$key' }, 'firebase'), TRUSTED),
        ).toBeUndefined()
      }
    })

    test('some keys of a list', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      const shallow = (spec: QuerySpec) => store.shallow(['list'], unlimited, makeQuery(spec, 'firebase'), TRUSTED)
      for (const text of ['', LONG]) {
        await put(store, '/list', { '10': text + 1, '9': text + 1, a: text + 1, b: { text }, '.priority': 1 })
        expect(await shallow({ orderBy: '$key', limitToFirst: 2 })).toBe('{"9":true,"10":true}')
        expect(await shallow({ orderBy: '$key', limitToLast: 1, endAt: 'a' })).toBe('{"a":true}')
        expect(await shallow({ orderBy: '$key', startAfter: '9' })).toBe('{"10":true,"a":true,"b":true}')
        expect(await shallow({ orderBy: '$key', startAt: 'c' })).toBe('{}')
      }
    })

    test('an answer longer than its limit is refused', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      await put(store, '/', {
        short: { a: 'x'.repeat(200), b: 1 },
        long: { a: LONG, b: 1, c: { text: LONG } },
        leaf: LONG,
      })
      const ask = async (path: string, spec: QuerySpec, maxLength: number) =>
        (await store.query([path], makeQuery(spec, 'firebase'), { ...unlimited, maxLength }, TRUSTED))?.plain.length
      for (const path of ['short', 'long', 'leaf']) {
        const whole = (await ask(path, { orderBy: '$key' }, Number.POSITIVE_INFINITY)) ?? 0
        expect(whole).toBeGreaterThan(200)
        await expect(ask(path, { orderBy: '$key' }, whole - 100)).rejects.toMatchObject({ code: 'read-too-big' })
        expect(await ask(path, { orderBy: '$key' }, whole)).toBe(whole)
      }
      expect(await ask('long', { orderBy: '$key', equalTo: 'b' }, 20)).toBe('{"b":1}'.length)
      const shallow = async () =>
        store.shallow(['long'], { ...unlimited, maxLength: 5 }, makeQuery({ orderBy: '$key' }, 'firebase'), TRUSTED)
      await expect(shallow()).rejects.toMatchObject({ code: 'read-too-big' })
    })

    test.each([
      [{ orderBy: '$key', limitToFirst: 1 }, 'wilddog', '1'],
      [{ orderBy: '$key', equalTo: '1' }, 'wilddog', '1'],
      [{ orderBy: '$key', equalTo: 'b' }, 'wilddog', 'b'],
      [{ orderBy: '$key', startAfter: 'a', limitToLast: 1 }, 'wilddog', 'b'],
      [{ orderBy: '$key', limitToFirst: 1 }, 'firebase', '1'],
      [{ orderBy: '$key', limitToLast: 1 }, 'firebase', 'b'],
      [{ orderBy: '$value', limitToFirst: 1 }, 'firebase', '1'],
      [{ orderBy: '$value', endBefore: 'long', limitToLast: 1 }, 'firebase', 'b'],
      [{ orderBy: '$priority', startAt: 0 }, 'firebase', 'b'],
      [{ orderBy: 'none', equalTo: [null, '1'] }, 'firebase', '1'],
    ] as const)('what %j does not choose does not count towards the limit', async (spec, family, key) => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      const short = { '1': 1, b: { '.value': 2, '.priority': 3 } }
      await put(store, '/list', { ...short, '2': LONG, a: LONG, '10': { text: LONG } })
      const got = await store.query(['list'], makeQuery(spec, family), { ...unlimited, maxLength: 100 }, TRUSTED)
      expect(got?.plain).toBe(`{"${key}":${key === '1' ? 1 : 2}}`)
    })

    test('integers behind more zeros than an index holds are told apart', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      const zeros = '0'.repeat(520)
      const long = ['10', '9', '95', '1'].map((digits) => zeros + digits)
      const many = Array.from({ length: 200 }, (_, index) => String(index + 1))
      await put(store, '/list', Object.fromEntries([...long, ...many].map((key) => [key, 1])))
      const keys = async (spec: Omit<QuerySpec, 'orderBy'>) =>
        Object.keys(JSON.parse((await query(store, '/list', { orderBy: '$key', ...spec }, 'wilddog')) ?? 'null') ?? {})
      for (const key of [...long, zeros, `${zeros}99`]) {
        const expected = long.includes(key) ? [key] : []
        expect(await keys({ equalTo: key }), key).toEqual(expected)
        expect(await countChosen(store, '/list', { orderBy: '$key', equalTo: key }, 'wilddog'), key).toBe(
          expected.length,
        )
      }
      const sorted = long.toSorted()
      expect(await keys({ limitToFirst: 2 })).toEqual(sorted.slice(0, 2))
      expect(await keys({ startAt: zeros, limitToFirst: 3 })).toEqual(sorted.slice(0, 3))
      expect(await keys({ endAt: `${zeros}:`, limitToLast: 1 })).toEqual(sorted.slice(-1))
    })

    longTest('a list much longer than what is read at a stretch', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      const size = 20_000
      await put(
        store,
        '/list',
        wide(size, (index) => ({ h: index % 3 === 0 ? 'many' : index % 1000 })),
      )
      const keys = Array.from({ length: size }, (_, index) => index)
      const many = keys.filter((index) => index % 3 === 0)
      const ordered = many.map((index) => `k${index}`).sort()
      const answered = await query(store, '/list', { orderBy: 'h', equalTo: 'many' })
      expect(Object.keys(JSON.parse(answered ?? ''))).toEqual(ordered)
      expect(await countChosen(store, '/list', { orderBy: 'h', equalTo: 'many' })).toBe(many.length)
      expect(await countChosen(store, '/list', { orderBy: 'h' })).toBe(size)
      expect(await countChosen(store, '/list', { orderBy: 'h', startAt: 0 })).toBe(size)
      expect(await countChosen(store, '/list', { orderBy: '$key', startAt: 'k' })).toBe(size)
      expect(await countChosen(store, '/list', { orderBy: '$key', startAfter: 'k0' }, 'wilddog')).toBe(size - 1)
      const last = await query(store, '/list', { orderBy: 'h', limitToLast: 700 })
      expect(Object.keys(JSON.parse(last ?? ''))).toEqual(ordered.slice(-700))
      const before = await query(store, '/list', { orderBy: 'h', endBefore: ['many', 'k3'], limitToLast: 1 })
      expect(Object.keys(JSON.parse(before ?? ''))).toEqual([ordered[ordered.indexOf('k3') - 1] ?? ''])
      const byKey = await query(store, '/list', { orderBy: '$key', limitToLast: 1300 })
      expect(Object.keys(JSON.parse(byKey ?? ''))).toEqual(
        keys
          .map((index) => `k${index}`)
          .sort()
          .slice(-1300),
      )
    })
  })
}
