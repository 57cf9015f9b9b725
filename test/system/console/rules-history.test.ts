import { afterAll, beforeAll, expect, test } from 'bun:test'
import { customToken } from '../../support/token.ts'
import { type ConsoleServer, startConsole } from './console-server.ts'

let server: ConsoleServer

beforeAll(async () => {
  server = await startConsole()
})
afterAll(() => server[Symbol.asyncDispose]())

const rules = (comment: string) => `{"rules": {".read": true /* ${comment} */}}`
const history = () => server.admin('rules-history', { id: 'app' })
const put = async (source: string, credential = server.secret) => {
  const reply = await server.call('PUT', `/.settings/rules.json?auth=${credential}`, { body: source })
  expect(reply.status).toBe(200)
}

test('rules are kept however they were set, the newest first, with what was in force before', async () => {
  expect(await history()).toEqual([])
  const { text: initial } = await server.call('GET', `/.settings/rules.json?auth=${server.secret}`)
  await put(rules('by REST'))
  await put(rules('by a token'), customToken(server.secret, { uid: 'ann', admin: true }))
  await server.admin('tree-set-rules', { id: 'app', source: rules('by an operation') })
  const kept = await history()
  expect(kept.map(({ source, by }) => [source, by])).toEqual([
    [rules('by an operation'), 'operator'],
    [rules('by a token'), 'REST ann'],
    [rules('by REST'), 'REST'],
    [initial, 'settings'],
  ])
  expect(kept.map(({ at }) => at)).toEqual(kept.map(({ at }) => at).toSorted((left, right) => right - left))
  expect(kept[0]?.source).toBe(await server.admin('tree-rules', { id: 'app' }))
})

test('rules that are refused or only checked, and the same rules again, add nothing', async () => {
  const before = await history()
  const settings = (query: string) => `/.settings/rules.json?${query}auth=${server.secret}`
  expect((await server.call('PUT', settings(''), { body: '{"rules": 1}' })).status).toBe(400)
  expect((await server.call('PUT', settings('dryRun=true&'), { body: rules('x') })).status).toBe(200)
  await put(before[0]?.source ?? '')
  expect(await history()).toEqual(before)
})

test('at most 50 versions and 1 MiB are kept', async () => {
  for (let version = 0; version < 52; version++) await put(rules(`version ${version}`))
  const kept = await history()
  expect(kept).toHaveLength(50)
  expect(kept.at(-1)?.source).toBe(rules('version 2'))
  const long = 'x'.repeat(400_000)
  for (const version of [1, 2, 3]) await put(rules(`${version} ${long}`))
  const newest = (await history()).map(({ source }) => source.slice(0, 40))
  expect(newest.slice(0, 2)).toEqual([rules(`3 ${long}`).slice(0, 40), rules(`2 ${long}`).slice(0, 40)])
  expect(newest).not.toContain(rules(`1 ${long}`).slice(0, 40))
  expect(JSON.stringify(await history()).length).toBeLessThan(1024 * 1024 + 1)
  // Rules that do not fit are in force all the same.
  await put(rules('y'.repeat(1024 * 1024)))
  expect((await history())[0]?.source.slice(0, 40)).toBe(newest[0] ?? '')
  expect(await server.admin('tree-rules', { id: 'app' })).toHaveLength(rules('').length + 1024 * 1024)
})
