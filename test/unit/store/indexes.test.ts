import { describe, expect, test } from 'bun:test'
import { type IndexSpec, parseIndexes } from '../../../src/query/index-declarations.ts'
import type { SqliteOptions } from '../../../src/store/sqlite/sqlite-options.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { Mirror } from '../../model/store/mirror.ts'
import { inLanes, longTest } from '../../support/lane.ts'
import { patchJob, put, remove, strictObserver, turns, watch, wide } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { integrityProblems, rowsOf } from './integrity.ts'
import { indexLines, query } from './queries.ts'

function open(file: string, options: SqliteOptions = {}): SqliteStore {
  return new SqliteStore(file, options, strictObserver)
}

const ORDERS = ['h', 'a/b', '$value', '$priority']

/** Children of all kinds, with integer keys among them, in no order of any field. */
function mixedList(size: number, mark = 0): Record<string, unknown> {
  const entries = Array.from({ length: size }, (_, index): [string, unknown] => {
    const number = (index * 7919 + mark) % 1009
    const key = index % 4 === 0 ? String(index) : `k${index}`
    if (index % 5 === 0) return [key, number]
    if (index % 7 === 0) return [key, { '.value': `text ${number}`, '.priority': number % 10 }]
    return [key, { h: number % 50, a: { b: `b${number}` }, ...(index % 3 === 0 ? { '.priority': `p${number}` } : {}) }]
  })
  return Object.fromEntries(entries)
}

/** One write after the other, at places all over the list, of every kind. */
async function disturb(mirror: Mirror, round: number): Promise<void> {
  const keys = mirror.model.keys(['list'])
  const key = keys[(round * 7919) % keys.length] ?? 'k1'
  switch (round % 8) {
    case 0:
      return mirror.put(['list', key, 'h'], round % 60)
    case 1:
      return mirror.put(['list', key], null)
    case 2:
      return mirror.put(['list', `n${round}`], { h: round, a: { b: 'new' } })
    case 3:
      return mirror.put(['list', key, '.priority'], round % 2 === 0 ? null : round)
    case 4:
      return mirror.put(['list', key, 'a', 'b', 'c'], 'deep')
    case 5:
      return mirror.put(['list', String(round * 3)], `text ${round}`)
    case 6:
      return mirror.put(['list', key], { a: { b: 'p'.repeat(2000) + round } })
    default:
      return mirror.patch(
        ['list'],
        new Map<string, unknown>([
          [key, null],
          [`m${round}`, true],
          [`m${round + 1}/h`, round],
        ]),
      )
  }
}

async function expectAllOrders(mirror: Mirror): Promise<void> {
  for (const orderBy of ORDERS) {
    for (const spec of [{}, { limitToLast: 10 }, { startAt: 20, endBefore: 'text 5' }, { equalTo: null }]) {
      await mirror.expectAnswers(['list'], { ...spec, orderBy })
    }
  }
  for (const spec of [{}, { limitToFirst: 10, startAt: '3' }, { limitToLast: 10, endAt: '9' }]) {
    await mirror.expectAnswers(['list'], { ...spec, orderBy: '$key' }, 'wilddog')
    await mirror.expectAnswers(['list'], { ...spec, orderBy: '$key' })
  }
}

const allIndexes = ['/list by ', '/list by $key', '/list by .priority', '/list by a/b', '/list by h']

describe.each(inLanes([[4096]], [[0], [4096]]))('at most %d characters in a row, an index', (inlineLength) => {
  test('is built by the first query while writes go on', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const mirror = new Mirror(open(file, { inlineLength }))
    await using store = mirror.store
    await mirror.put(['list'], mixedList(6000))
    const building = watch(Promise.all(ORDERS.map((orderBy) => query(store, '/list', { orderBy }))))
    const lexicographic = watch(query(store, '/list', { orderBy: '$key' }, 'wilddog'))
    let writes = 0
    let writesMeanwhile = 0
    while (building.state === 'waiting' || lexicographic.state === 'waiting') {
      await disturb(mirror, ++writes)
      if ((await store.indexes()).some(({ ready }) => !ready)) writesMeanwhile++
    }
    expect([building.state, lexicographic.state]).toEqual(['resolved', 'resolved'])
    expect(writesMeanwhile).toBeGreaterThan(5)
    expect(await indexLines(store)).toEqual(allIndexes)
    await expectAllOrders(mirror)
    for (let round = 0; round < 40; round++) await disturb(mirror, ++writes)
    await expectAllOrders(mirror)
    await store.swept()
    await store.close()
    expect(integrityProblems(file)).toEqual([])
    expect(rowsOf(file, 'index_entry')).toBeGreaterThan(4 * 5000)
  })

  test('answers the query that it was built for from one commit', async () => {
    await using directory = await tempDir()
    await using store = open(directory.file('tree'), { inlineLength })
    await put(store, '/list', { ...wide(6000, (index) => ({ h: index })), first: { h: -1, mark: 0 } })
    await put(store, '/list/last', { h: 99_999, mark: 0 })
    const reading = watch(query(store, '/list', { orderBy: 'h' }))
    let mark = 0
    while (reading.state === 'waiting') {
      await store.commit(patchJob('/list', { 'first/mark': ++mark, 'last/mark': mark, [`k${mark}`]: null }))
    }
    const marks = [...(reading.value ?? '').matchAll(/"mark":(\d+)/g)].map((match) => Number(match[1]))
    expect(marks.length).toBe(2)
    expect(marks[0]).toBe(marks[1] as number)
    expect(reading.value?.match(/"h":/g)?.length).toBe(6002 - (marks[0] ?? 0))
  })

  test('is there again after a restart', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const mirror = new Mirror(open(file, { inlineLength }))
    await mirror.put(['list'], mixedList(500))
    await expectAllOrders(mirror)
    await mirror.store.close()
    expect(integrityProblems(file)).toEqual([])
    await using store = open(file, { inlineLength })
    mirror.store = store
    expect(await indexLines(store)).toEqual(allIndexes)
    for (let round = 1; round < 20; round++) await disturb(mirror, round)
    await expectAllOrders(mirror)
    await store.swept()
    await store.close()
    expect(integrityProblems(file)).toEqual([])
  })

  longTest('half built when the store is closed is finished after a restart', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const mirror = new Mirror(open(file, { inlineLength }))
    await mirror.put(['list'], mixedList(60_000))
    const first = mirror.store
    const asked = watch(query(first, '/list', { orderBy: 'h', limitToFirst: 3 }))
    while (rowsOf(file, 'index_entry') === 0) await turns(1)
    await disturb(mirror, 1)
    await first.close()
    await turns(2)
    expect(asked).toMatchObject({ state: 'rejected', error: { code: 'unavailable' } })
    expect(integrityProblems(file)).toEqual([])
    expect(rowsOf(file, 'index_entry')).toBeGreaterThan(0)
    expect(rowsOf(file, 'index_entry')).toBeLessThan(59_000)
    await using store = open(file, { inlineLength })
    mirror.store = store
    for (let round = 2; round < 15; round++) await disturb(mirror, round)
    await store.swept()
    expect(await indexLines(store)).toEqual(['/list by h'])
    await mirror.expectAnswers(['list'], { orderBy: 'h' })
    await store.close()
    expect(integrityProblems(file)).toEqual([])
  })

  longTest('half built when the process is killed is finished after a restart', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const script = Bun.fileURLToPath(new URL('./build-elsewhere.ts', import.meta.url))
    const child = Bun.spawn([process.execPath, script, file, String(inlineLength)], { stdout: 'pipe' })
    const reader = child.stdout.getReader()
    const { value } = await reader.read()
    child.kill('SIGKILL')
    await child.exited
    expect(new TextDecoder().decode(value)).toBe('building\n')
    await using store = open(file, { inlineLength })
    await store.swept()
    expect(await indexLines(store)).toEqual(['/list by h'])
    const last = await query(store, '/list', { orderBy: 'h', limitToLast: 2 })
    expect(last).toBe('{"k19998":{"h":19998},"k19999":{"h":19999}}')
    await store.close()
    expect(integrityProblems(file)).toEqual([])
    expect(rowsOf(file, 'index_entry')).toBe(20_000)
  })

  longTest('is that of the list which replaces the old one', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const mirror = new Mirror(open(file, { inlineLength }))
    await using store = mirror.store
    await mirror.put(['list'], mixedList(500))
    await expectAllOrders(mirror)
    for (const size of [3000, 200, 1000]) {
      await mirror.put(['list'], mixedList(size, size))
      for (let round = 1; round < 10; round++) await disturb(mirror, round)
      await store.swept()
      expect(await indexLines(store)).toEqual(allIndexes)
      await expectAllOrders(mirror)
    }
    // Asked while the new one is not built yet.
    const replacing = mirror.put(['list'], mixedList(6000, 3))
    const asked = query(store, '/list', { orderBy: 'h' })
    await Promise.all([replacing, asked])
    await mirror.expectAnswers(['list'], { orderBy: 'h' })
    await store.swept()
    await store.close()
    expect(integrityProblems(file)).toEqual([])
  })

  test.each([
    ['a delete of the list', (mirror: Mirror) => mirror.put(['list'], null)],
    ['a delete above it', (mirror: Mirror) => mirror.put([], { other: 'leaf' })],
    ['a leaf in its place', (mirror: Mirror) => mirror.put(['list'], 5)],
    ['a small object in its place', (mirror: Mirror) => mirror.put([], { list: 'leaf', a: 1 })],
    [
      'deletes of all its children at once',
      (mirror: Mirror) => mirror.patch(['list'], new Map(mirror.model.keys(['list']).map((key) => [key, null]))),
    ],
    [
      'deletes of its children one by one',
      async (mirror: Mirror) => {
        for (const key of mirror.model.keys(['list'])) await mirror.put(['list', key], null)
      },
    ],
  ] as const)('goes with its entries by %s', async (_, end) => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const mirror = new Mirror(open(file, { inlineLength }))
    await using store = mirror.store
    await mirror.put(['other'], 1)
    await mirror.put(['list'], mixedList(300))
    await expectAllOrders(mirror)
    await end(mirror)
    await expectAllOrders(mirror)
    await store.swept()
    expect(await indexLines(store)).toEqual([])
    await store.close()
    expect(integrityProblems(file)).toEqual([])
    expect([rowsOf(file, 'index_definition'), rowsOf(file, 'index_entry')]).toEqual([0, 0])
  })

  longTest('goes also when its list vanishes while it is built', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    // The list that replaces the other one is not written ahead, since the building would be done by then.
    await using store = open(file, { inlineLength, stagedLength: Number.POSITIVE_INFINITY })
    await put(store, '/keep', 1)
    for (const end of [null, 'leaf', wide(5000, (index) => ({ h: -index }))]) {
      await put(store, '/list', mixedList(10_000))
      await store.swept()
      const asked = watch(query(store, '/list', { orderBy: 'h', limitToFirst: 2 }))
      while (!store.indexes().some(({ ready }) => !ready)) await turns(1)
      await put(store, '/list', end)
      while (asked.state === 'waiting') await turns(1)
      const filled = typeof end === 'object' && end !== null
      const expected = filled ? '{"k4999":{"h":-4999},"k4998":{"h":-4998}}' : undefined
      expect(asked).toMatchObject({ state: 'resolved', value: expected })
      await store.swept()
      expect(await indexLines(store)).toEqual(filled ? ['/list by h'] : [])
    }
    await store.close()
    expect(integrityProblems(file)).toEqual([])
    expect(rowsOf(file, 'index_entry')).toBe(5000)
  })
})

describe('an index that is not used', () => {
  test('is dropped, one that is used is not', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    await using store = open(file, { indexIdleMs: 600 })
    await put(store, '/list', mixedList(300))
    await query(store, '/list', { orderBy: 'a/b' })
    await query(store, '/list', { orderBy: 'h' })
    expect(await indexLines(store)).toEqual(['/list by a/b', '/list by h'])
    while ((await indexLines(store)).length === 2) {
      await query(store, '/list', { orderBy: 'h', limitToFirst: 2 })
      await turns(1)
    }
    expect(await indexLines(store)).toEqual(['/list by h'])
    await store.close()
    await using again = open(file, {})
    await again.swept()
    await again.close()
    expect(integrityProblems(file)).toEqual([])
    expect(rowsOf(file, 'index_definition')).toBe(1)
    // Some of the children have no value, and not all of those have a row.
    expect(rowsOf(file, 'index_entry')).toBe(299)
  })

  test('is kept where it is declared, also after a restart', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    await using first = open(file)
    await put(first, '/list', mixedList(300))
    for (const orderBy of ['h', '$value', 'a/b']) await query(first, '/list', { orderBy })
    await first.close()
    await using store = open(file, { indexIdleMs: 100 })
    await store.declareIndexes(parseIndexes({ '/$any': ['h', '.value'], '/other': ['a/b'] }))
    while ((await indexLines(store)).length === 3) await turns(1)
    expect(await indexLines(store)).toEqual(['/list by ', '/list by h'])
    await store.declareIndexes(parseIndexes({ '/list': ['h'] }))
    while ((await indexLines(store)).length === 2) await turns(1)
    expect(await indexLines(store)).toEqual(['/list by h'])
    await store.declareIndexes([])
    while ((await indexLines(store)).length === 1) await turns(1)
    await store.swept()
    await store.close()
    expect(integrityProblems(file)).toEqual([])
    expect([rowsOf(file, 'index_definition'), rowsOf(file, 'index_entry')]).toEqual([0, 0])
  })

  test('comes back with the next query', async () => {
    await using directory = await tempDir()
    const mirror = new Mirror(open(directory.file('tree'), { indexIdleMs: 50 }))
    await using store = mirror.store
    await mirror.put(['list'], mixedList(300))
    for (let round = 1; round < 4; round++) {
      await mirror.expectAnswers(['list'], { orderBy: 'h', startAt: 7 })
      while ((await store.indexes()).length > 0) await turns(1)
      await disturb(mirror, round)
    }
    await mirror.expectAnswers(['list'], { orderBy: 'h', startAt: 7 })
  })
})

describe('declared indexes', () => {
  const lists: IndexSpec = {
    '/scores': ['.value'],
    'dinosaurs/': ['height', 'name/latin'],
    '/users/$user/posts': ['likes'],
    '/none': ['x'],
    '/': ['deep/er'],
  }

  test('are built where the lists are long', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    await using store = open(file, { inlineLength: 30 })
    const posts = wide(100, (index) => ({ likes: index % 7 }))
    await put(store, '/', {
      scores: wide(100, (index) => index),
      dinosaurs: wide(80, (index) => ({ height: index, name: { latin: `l${index}` } })),
      users: { ann: { posts }, bob: { posts: wide(3, () => 1) }, cat: { posts }, dan: 'leaf', posts },
    })
    await store.declareIndexes(parseIndexes(lists))
    const expected = [
      '/dinosaurs by height',
      '/dinosaurs by name/latin',
      '/scores by ',
      '/users/ann/posts by likes',
      '/users/cat/posts by likes',
    ]
    expect(await indexLines(store)).toEqual(expected)
    expect(await query(store, '/users/ann/posts', { orderBy: 'likes', limitToFirst: 1 })).toBe('{"k0":{"likes":0}}')
    await store.declareIndexes(parseIndexes({}))
    expect(await indexLines(store)).toEqual(expected)
    await store.swept()
    await store.close()
    expect(integrityProblems(file)).toEqual([])
  })

  longTest('are built while writes go on, in an empty tree too', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    const mirror = new Mirror(open(file))
    await using store = mirror.store
    await store.declareIndexes(parseIndexes(lists))
    await mirror.put(['list'], mixedList(5000))
    const declared = watch(store.declareIndexes(parseIndexes({ '/list': ['h', 'a/b', '.value'] })))
    for (let round = 1; declared.state === 'waiting'; round++) await disturb(mirror, round)
    expect(declared.state).toBe('resolved')
    expect(await indexLines(store)).toEqual(['/list by ', '/list by a/b', '/list by h'])
    await expectAllOrders(mirror)
    await remove(store, '/list')
    await store.swept()
    await store.close()
    expect(integrityProblems(file)).toEqual([])
  })
})
