import { describe, expect, test } from 'bun:test'
import { type Database, type DatabaseOptions, DholeError, openDatabase, type QuerySpec } from '../../../src/embedded.ts'
import { openTestDatabase } from '../../support/engine.ts'
import { turns } from '../../support/store.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

/** The code of the refusal, or what came instead of one. */
async function refusal(attempt: () => unknown): Promise<unknown> {
  try {
    return { resolved: await attempt() }
  } catch (error) {
    return error instanceof DholeError ? error.code : error
  }
}

function open(dir: TempDir, options: Partial<DatabaseOptions> = {}): Promise<Database> {
  return openTestDatabase({ file: dir.file('tree.sqlite'), ...options })
}

const dinosaurs = {
  bruhathkayosaurus: { height: 25, name: { latin: 'b' } },
  lambeosaurus: { height: 2.1, name: { latin: 'a' }, '.priority': 3 },
  linhenykus: { height: 0.6 },
  pterodactyl: { height: 0.6, name: { latin: 'c' } },
  stegosaurus: 'unknown',
}

async function keysOf(db: Database, path: string, spec: QuerySpec): Promise<string[]> {
  return (await db.query(path, spec)).children.map(({ key }) => key)
}

describe('queries without HTTP', () => {
  test('children in order, with their values', async () => {
    await using dir = await tempDir()
    await using db = await open(dir)
    await db.put('/dinosaurs', dinosaurs)
    const { children, text } = await db.query('/dinosaurs', { orderBy: 'height', startAt: 0.6, limitToFirst: 3 })
    expect(children).toEqual([
      { key: 'linhenykus', value: { height: 0.6 } },
      { key: 'pterodactyl', value: { height: 0.6, name: { latin: 'c' } } },
      { key: 'lambeosaurus', value: { height: 2.1, name: { latin: 'a' } } },
    ])
    expect(text).toBe(`{${children.map(({ key, value }) => `"${key}":${JSON.stringify(value)}`).join(',')}}`)
    expect(await keysOf(db, 'dinosaurs/', { orderBy: 'name/latin', limitToLast: 2 })).toEqual([
      'bruhathkayosaurus',
      'pterodactyl',
    ])
    expect(await keysOf(db, '/dinosaurs', { orderBy: '$priority', startAt: 0 })).toEqual(['lambeosaurus'])
    expect(await keysOf(db, '/dinosaurs', { orderBy: '$value', endAt: 'z' })).toEqual(['stegosaurus'])
  })

  test('a cursor goes on where the last page ended', async () => {
    await using dir = await tempDir()
    await using db = await open(dir, { storage: { inlineLength: 0, shortList: 0 } })
    const list = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, { n: index % 3 }]))
    await db.put('/list', list)
    const all = await keysOf(db, '/list', { orderBy: 'n' })
    expect(new Set(all).size).toBe(50)
    const paged: string[] = []
    let page = (await db.query('/list', { orderBy: 'n', limitToFirst: 7 })).children
    for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
      paged.push(...page.map(({ key }) => key))
      const { n } = last.value as { n: number }
      page = (await db.query('/list', { orderBy: 'n', startAfter: [n, last.key], limitToFirst: 7 })).children
    }
    expect(paged).toEqual(all)
    expect(await keysOf(db, '/list', { orderBy: 'n', startAt: [2, 'k8'], limitToFirst: 1 })).toEqual(['k8'])
    expect(await keysOf(db, '/list', { orderBy: 'n', equalTo: [1, 'k4'] })).toEqual(['k4'])
    expect(await keysOf(db, '/list', { orderBy: 'n', endBefore: [0, 'k12'], limitToLast: 1 })).toEqual(['k0'])
    const ones = await keysOf(db, '/list', {
      orderBy: 'n',
      startAfter: [0, '[MAX_NAME]'],
      endBefore: [2, '[MIN_NAME]'],
    })
    expect(ones).toEqual(await keysOf(db, '/list', { orderBy: 'n', equalTo: 1 }))
    expect(ones).toHaveLength(17)
  })

  test('integer-like keys keep the order of the query', async () => {
    await using dir = await tempDir()
    await using db = await open(dir)
    await db.put('/list', { '10': 'a', '9': 'c', '1': 'd', x: 'b', '-5': 'e' })
    const byValue = await db.query('/list', { orderBy: '$value' })
    expect(byValue.children.map(({ key }) => key)).toEqual(['10', 'x', '9', '1', '-5'])
    expect(byValue.text).toBe('{"10":"a","x":"b","9":"c","1":"d","-5":"e"}')
    expect(await keysOf(db, '/list', { orderBy: '$key' })).toEqual(['-5', '1', '10', '9', 'x'])
    await db.put('/array', ['z', 'y', { a: 1 }])
    const array = await db.query('/array', { orderBy: '$key', limitToFirst: 2 })
    expect(array.text).toBe('["z","y"]')
    expect(array.children).toEqual([
      { key: '0', value: 'z' },
      { key: '1', value: 'y' },
    ])
  })

  test('the profile decides how keys are sorted and which bounds are answered', async () => {
    await using dir = await tempDir()
    await using wilddog = await open(dir)
    await using firebase = await openTestDatabase({ file: dir.file('other.sqlite'), profile: 'firebase' })
    const list = { '10': true, '9': false, a: 5 }
    await wilddog.put('/list', list)
    await firebase.put('/list', list)
    expect(await keysOf(wilddog, '/list', { orderBy: '$key' })).toEqual(['10', '9', 'a'])
    expect(await keysOf(firebase, '/list', { orderBy: '$key' })).toEqual(['9', '10', 'a'])
    const fromFalse = { orderBy: '$value', startAt: false, endAt: true }
    expect(await refusal(() => wilddog.query('/list', fromFalse))).toBe('boolean-bound')
    expect(await keysOf(firebase, '/list', fromFalse)).toEqual(['9', '10'])
    const mixed = { orderBy: '$value', startAt: 1, endAt: 'z' }
    expect(await refusal(() => wilddog.query('/list', mixed))).toBe('bound-types-differ')
    expect(await keysOf(firebase, '/list', mixed)).toEqual(['a'])
  })

  test('leaves, places where nothing is, and nothing that fits', async () => {
    await using dir = await tempDir()
    await using db = await open(dir)
    await db.put('/', { leaf: { '.value': 5, '.priority': 1 }, list: { a: 1 } })
    expect(await db.query('/leaf', { orderBy: '$key' })).toMatchObject({ children: [], text: '5' })
    expect(await db.query('/leaf', { orderBy: '$key', limitToFirst: 1 })).toMatchObject({ children: [], text: 'null' })
    expect(await db.query('/none', { orderBy: 'a' })).toMatchObject({ children: [], text: 'null' })
    expect(await db.query('/list', { orderBy: '$value', equalTo: 2 })).toMatchObject({ children: [], text: '{}' })
  })

  test('an answer does not change with the tree', async () => {
    await using dir = await tempDir()
    await using db = await open(dir)
    await db.put('/list', { a: { n: 1 }, b: { n: 2 } })
    const answer = await db.query(['list'], { orderBy: 'n' })
    await db.put('/list/a/n', 3)
    expect(answer.text).toBe('{"a":{"n":1},"b":{"n":2}}')
    expect(answer.children[0]).toEqual({ key: 'a', value: { n: 1 } })
  })

  test('counting what a query chooses', async () => {
    await using dir = await tempDir()
    await using db = await open(dir)
    await db.put('/dinosaurs', dinosaurs)
    expect(await db.count('/dinosaurs')).toBe(5)
    expect(await db.count('/dinosaurs', { orderBy: 'height' })).toBe(5)
    expect(await db.count('/dinosaurs', { orderBy: 'height', equalTo: 0.6 })).toBe(2)
    expect(await db.count('/dinosaurs', { orderBy: 'height', equalTo: null })).toBe(1)
    expect(await db.count('/dinosaurs/stegosaurus', { orderBy: 'height' })).toBe(0)
    expect(await db.count('/none', { orderBy: 'height' })).toBe(0)
  })

  test.each([
    ['bad-order', { orderBy: '' }],
    ['bad-order', { orderBy: '$height' }],
    ['bad-order', { orderBy: 'a.b' }],
    ['bad-order', { orderBy: 'a/.priority' }],
    ['bad-order', {}],
    ['bad-order', { orderBy: 7 }],
    ['both-limits', { orderBy: 'h', limitToFirst: 1, limitToLast: 1 }],
    ['bad-limit', { orderBy: 'h', limitToFirst: 0 }],
    ['bad-limit', { orderBy: 'h', limitToLast: 1.5 }],
    ['bad-limit', { orderBy: 'h', limitToLast: '1' }],
    ['key-bound', { orderBy: '$key', startAt: 5 }],
    ['key-bound', { orderBy: '$key', startAt: ['a', 'b'] }],
    ['priority-boolean', { orderBy: '$priority', startAt: true }],
    ['boolean-bound', { orderBy: 'h', endAt: false }],
    ['bound-types-differ', { orderBy: 'h', startAt: 1, endAt: '1' }],
    ['bad-bound', { orderBy: 'h', startAt: {} }],
    ['bad-bound', { orderBy: 'h', startAt: [1] }],
    ['bad-bound', { orderBy: 'h', startAt: [1, 2] }],
    ['bad-bound', { orderBy: 'h', startAt: [[], 'k'] }],
    ['bad-bound', { orderBy: 'h', equalTo: Number.NaN }],
    ['bad-bound', { orderBy: 'h', equalTo: '\uD800' }],
    ['bad-parameter', { orderBy: 'h', equalTo: 1, startAt: 1 }],
    ['bad-parameter', { orderBy: 'h', startAfter: 1, startAt: 1 }],
    ['bad-parameter', { orderBy: 'h', endBefore: 1, endAt: 1 }],
  ])('%s for %j', async (code, spec) => {
    await using dir = await tempDir()
    await using db = await open(dir)
    await db.put('/list', { a: { h: 1 } })
    const wrong = spec as unknown as QuerySpec
    expect(await refusal(() => db.query('/list', wrong))).toBe(code)
    expect(await refusal(() => db.count('/list', wrong))).toBe(code)
    expect(await refusal(() => db.query('/none', wrong))).toBe(code)
  })

  test('wrong places, answers too long, a tree that is closed', async () => {
    await using dir = await tempDir()
    await using db = await open(dir, { limits: { maxReadBytes: 20 } })
    await db.put('/list', { a: 'x'.repeat(50), b: 1 })
    expect(await refusal(() => db.query('/a.b', { orderBy: 'h' }))).toBe('bad-path')
    expect(await refusal(() => db.query('/list', { orderBy: '$key' }))).toBe('read-too-big')
    expect((await db.query('/list', { orderBy: '$key', limitToLast: 1 })).text).toBe('{"b":1}')
    await db.close()
    expect(await refusal(() => db.query('/list', { orderBy: '$key' }))).toBe('unavailable')
    expect(await refusal(() => db.indexes())).toBe('unavailable')
    expect(await refusal(() => db.declareIndexes({ '/list': ['h'] }))).toBe('unavailable')
  })
})

describe('indexes without HTTP', () => {
  const storage = { inlineLength: 0, shortList: 0 }
  const list = { a: { h: 1, b: { c: 1 } }, b: { h: 2 } }

  test('are made by queries, and told of', async () => {
    await using dir = await tempDir()
    await using db = await open(dir, { storage })
    await db.put('/list', list)
    expect(await db.indexes()).toEqual([])
    await db.query('/list', { orderBy: 'b/c' })
    await db.count('/list', { orderBy: '$value', startAt: 1 })
    const told = (await db.indexes()).toSorted((left, right) => (left.path?.length ?? 0) - (right.path?.length ?? 0))
    expect(told).toEqual([
      { list: ['list'], path: [], ready: true, covering: false },
      { list: ['list'], path: ['b', 'c'], ready: true, covering: false },
    ])
  })

  test('are made where they are declared', async () => {
    await using dir = await tempDir()
    {
      await using db = await open(dir, { storage })
      await db.put('/', { list, users: { ann: { posts: list } } })
      await db.declareIndexes({ '/list': ['h', '.value'], '/users/$user/posts': ['b/c'] })
      const told = (await db.indexes()).map(
        ({ list: keys, path, ready }) => `${keys.join('/')}: ${path?.join('/')}, ${ready}`,
      )
      expect(told.sort()).toEqual(['list: , true', 'list: h, true', 'users/ann/posts: b/c, true'])
    }
    await using fresh = await openTestDatabase({ file: dir.file('new.sqlite'), storage, indexes: { '/list': ['h'] } })
    await fresh.put('/list', list)
    await fresh.declareIndexes({ '/list': ['h'] })
    expect(await fresh.indexes()).toEqual([{ list: ['list'], path: ['h'], ready: true, covering: false }])
    await fresh.close()
    // In the options, for a list that is there.
    await using again = await openTestDatabase({
      file: dir.file('new.sqlite'),
      storage,
      indexes: { '/list': ['h', 'b/c'] },
    })
    const areReady = async () => {
      const indexes = await again.indexes()
      return indexes.length === 2 && indexes.every(({ ready }) => ready)
    }
    while (!(await areReady())) await turns(1)
    expect((await again.indexes()).map(({ path }) => path?.join('/')).sort()).toEqual(['b/c', 'h'])
  })

  test('may be required', async () => {
    await using dir = await tempDir()
    await using db = await open(dir, {
      indexPolicy: 'require',
      indexes: { '/list': ['h', '.value'], '/users/$user': ['n'] },
    })
    await db.put('/', { list, users: { ann: { a: { n: 1 } } } })
    expect(await refusal(() => db.query('/list', { orderBy: 'b/c' }))).toBe('index-missing')
    expect(await refusal(() => db.count('/users', { orderBy: 'n' }))).toBe('index-missing')
    expect(await refusal(() => db.query('/none', { orderBy: 'h' }))).toBe('index-missing')
    for (const orderBy of ['h', '$value', '$key', '$priority']) {
      expect(await keysOf(db, '/list', { orderBy })).toEqual(['a', 'b'])
    }
    expect(await keysOf(db, '/users/ann', { orderBy: 'n' })).toEqual(['a'])
    await expect(db.query('/users/ann', { orderBy: 'h' })).rejects.toThrow(
      'Index not defined, add ".indexOn": "h", for path "/users/ann", to the rules',
    )
    await db.declareIndexes({ '/list': ['b/c'] })
    expect(await keysOf(db, '/list', { orderBy: 'b/c' })).toEqual(['b', 'a'])
    expect(await refusal(() => db.query('/list', { orderBy: 'h' }))).toBe('index-missing')
  })

  test.each([
    ['bad-order', { '/list': ['$key'] }],
    ['bad-order', { '/list': [''] }],
    ['bad-order', { '/list': ['.priority'] }],
    ['bad-path', { '/a.b': ['h'] }],
  ])('%s for the declaration %j', async (code, spec) => {
    await using dir = await tempDir()
    await using db = await open(dir)
    expect(await refusal(() => db.declareIndexes(spec))).toBe(code)
    expect(() => openDatabase({ file: dir.file('other.sqlite'), indexes: spec })).toThrow(TypeError)
  })

  test.each([
    ['profile', { profile: 'Firebase' }],
    ['indexPolicy', { indexPolicy: 'deny' }],
    ['indexes', { indexes: { '/list': 'h' } }],
    ['storage/shortList', { storage: { shortList: -1 } }],
    ['storage/indexIdleMs', { storage: { indexIdleMs: 0 } }],
  ])('a wrong %s is named in a TypeError', (name, options) => {
    const wrong = { file: 'x', ...options } as unknown as DatabaseOptions
    expect(() => openDatabase(wrong)).toThrow(TypeError)
    expect(() => openDatabase(wrong)).toThrow(name)
  })
})
