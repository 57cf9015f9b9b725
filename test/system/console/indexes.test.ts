import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ConsoleServer, startConsole } from './console-server.ts'

let server: ConsoleServer

beforeAll(async () => {
  server = await startConsole()
  const list = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, { height: at, name: `n${at}` }]))
  await server.local('tree-put', { id: 'app', path: ['list'], json: list })
  await server.admin('tree-set-rules', {
    id: 'app',
    source: '{"rules": {".read": true, ".write": true, "list": {".indexOn": ["name"]}}}',
  })
  for (const child of ['height', '$value']) {
    expect((await server.call('GET', `/list.json?orderBy="${child}"&limitToFirst=1`)).status).toBe(200)
  }
})
afterAll(() => server[Symbol.asyncDispose]())

const childrenOf = async () => {
  const listed = await server.admin('indexes', { id: 'app' })
  return listed.map(({ child }) => child).sort()
}

test('indexes are listed with what they are for', async () => {
  // Declared ones are built in the background.
  while ((await childrenOf()).length < 3) await new Promise(setImmediate)
  const listed = await server.admin('indexes', { id: 'app' })
  const about = { path: '/list', covering: false, entries: expect.any(Number), lastUsed: expect.any(Number) }
  expect(listed.toSorted((left, right) => (left.child < right.child ? -1 : 1))).toEqual([
    { ...about, child: '.value', state: 'ready', declared: false },
    { ...about, child: 'height', state: 'ready', declared: false, entries: 200 },
    { ...about, child: 'name', state: expect.any(String), declared: true },
  ])
})

test('an index that a query made can be dropped, and a query builds it again', async () => {
  await server.admin('index-drop', { id: 'app', path: '/list', child: 'height' })
  await server.admin('index-drop', { id: 'app', path: '/list', child: '.value' })
  expect(await childrenOf()).toEqual(['name'])
  const reply = await server.call('GET', '/list.json?orderBy="height"&limitToLast=1')
  expect(JSON.parse(reply.text)).toEqual({ k199: { height: 199, name: 'n199' } })
  expect(await childrenOf()).toEqual(['height', 'name'])
})

test('a declared index stays, and what is no index is unknown', async () => {
  const drop = (path: string, child: string) => server.admin('index-drop', { id: 'app', path, child })
  await expect(drop('/list', 'name')).rejects.toThrow('rules or settings declare the index over name at /list')
  for (const [path, child] of [
    ['/list', 'weight'],
    ['/list', '.key'],
    ['/nowhere', 'height'],
    ['/list/k1', 'height'],
  ] as const) {
    await expect(drop(path, child)).rejects.toThrow(`there is no index over ${child} at ${path}`)
  }
  expect(await childrenOf()).toContain('name')
})
