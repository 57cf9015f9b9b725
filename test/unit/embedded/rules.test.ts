import { expect, test } from 'bun:test'
import type { Database, Observer } from '../../../src/embedded.ts'
import { openTestDatabase, openTestStore } from '../../support/engine.ts'
import { put, strictObserver } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'

const ANN = { kind: 'user', auth: { uid: 'ann' } } as const
const places = Object.fromEntries(Array.from({ length: 700 }, (_, index) => [`p${index}`, { height: index % 7 }]))
const indexed = { rules: { '.read': true, parks: { $park: { '.indexOn': ['height'] }, closed: {} } } }

/** Names of the complete indexes there are. */
async function indexNames(db: Database): Promise<string[]> {
  return (await db.indexes()).flatMap(({ list, path, ready }) =>
    ready ? [`${list.join('/')} ${path?.join('/')}`] : [],
  )
}

test('indexes that rules declare are built, kept across restarts, and what `require` asks for', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree.sqlite')
  {
    await using db = await openTestDatabase({ file, indexPolicy: 'require' })
    await db.put('/parks', { north: places, closed: places })
    const query = { orderBy: 'height', limitToFirst: 3 }
    await expect(db.query('/parks/north', query, { as: ANN })).rejects.toMatchObject({ code: 'index-missing' })
    await db.setRules(JSON.stringify(indexed))
    while (!(await indexNames(db)).includes('parks/north height')) await new Promise(setImmediate)
    expect((await db.query('/parks/north', query, { as: ANN })).children).toHaveLength(3)
    // A key that is named has rules of its own.
    await expect(db.query('/parks/closed', query, { as: ANN })).rejects.toMatchObject({ code: 'index-missing' })
  }
  await using again = await openTestDatabase({ file, indexPolicy: 'require' })
  expect(again.rules).toBe(JSON.stringify(indexed))
  expect((await again.query('/parks/north', { orderBy: 'height', equalTo: 6 }, { as: ANN })).children).toHaveLength(100)
})

test('rules make an index cover', async () => {
  await using directory = await tempDir()
  await using db = await openTestDatabase({ file: directory.file('tree.sqlite') })
  await db.put('/list', places)
  const ask = async () => (await db.query('/list', { orderBy: 'height', limitToLast: 2 })).children
  const before = await ask()
  const indexOn = { child: 'height', covering: true }
  await db.setRules(JSON.stringify({ rules: { '.read': true, '.write': true, list: { '.indexOn': [indexOn] } } }))
  while (!(await db.indexes()).some(({ covering, ready }) => covering && ready)) await new Promise(setImmediate)
  expect(await ask()).toEqual(before)
  const last = before[1]?.key ?? ''
  await db.put(`/list/${last}/name`, 'changed')
  expect((await ask())[1]).toMatchObject({ key: last, value: { height: 6, name: 'changed' } })
})

test('nobody learns by a missing index what may not be read', async () => {
  await using directory = await tempDir()
  await using db = await openTestDatabase({
    file: directory.file('tree.sqlite'),
    indexPolicy: 'require',
    rules: '{"rules":{}}',
  })
  await db.put('/list', places)
  for (const ask of [
    () => db.query('/list', { orderBy: 'height' }, { as: ANN }),
    () => db.count('/list', { orderBy: 'height' }, { as: ANN }),
    () => db.count('/list', undefined, { as: ANN }),
    () => db.shallow('/list', undefined, { as: ANN }),
  ]) {
    await expect((async () => ask())()).rejects.toMatchObject({ code: 'permission-denied' })
  }
})

test('the first rules of the options are kept, and those that are stored stay', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree.sqlite')
  const [first, second] = ['{"rules":{"a":{".read":true}}}', '{"rules":{"b":{".read":true}}}'] as const
  {
    await using db = await openTestDatabase({ file, rules: first })
    expect(db.rules).toBe(first)
    // Writes are durable in their order, so the rules are stored by then.
    await db.put('/c', 1)
  }
  await using db = await openTestDatabase({ file, rules: second })
  expect([db.rules, await db.get('/a', { as: ANN })]).toEqual([first, null])
  await expect(db.get('/b', { as: ANN })).rejects.toMatchObject({ code: 'permission-denied' })
  await db.setRules(second)
  expect(await db.get('/b', { as: ANN })).toBeNull()
  await expect(db.setRules('{"rules":{".read":"7"}}')).rejects.toMatchObject({ code: 'bad-rules' })
  expect(db.rules).toBe(second)
})

test('stored rules that cannot be read leave the tree to its owner', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree.sqlite')
  {
    await using store = await openTestStore(file, {})
    await put(store, '/a', 1)
    // biome-ignore lint/correctness/useYield: a job that asks for nothing
    await store.commit(function* () {
      return { result: undefined, settings: [['rules', '{"rules":{".read":"of another version"}}']] }
    })
  }
  const troubles: unknown[] = []
  const observer: Observer = { ...strictObserver, storeTroubled: (_, error) => troubles.push(error) }
  await using db = await openTestDatabase({ file, observer })
  expect(troubles).toMatchObject([{ code: 'bad-rules' }])
  expect([await db.get('/a'), db.rules]).toEqual([1, '{"rules":{".read":"of another version"}}'])
  await expect(db.get('/a', { as: ANN })).rejects.toMatchObject({ code: 'permission-denied' })
  await expect(db.setRules(db.rules)).rejects.toMatchObject({ code: 'bad-rules' })
  await db.setRules('{"rules":{".read":true}}')
  expect(await db.get('/a', { as: ANN })).toBe(1)
})
