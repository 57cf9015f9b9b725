import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { InputOf, ValueName } from '../../../src/admin/operations.ts'
import { openSource } from '../../support/event-source.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { type ConsoleServer, startConsole } from './console-server.ts'

let server: ConsoleServer

beforeAll(async () => {
  server = await startConsole()
  await server.admin('add', { id: 'shop', settings: { open: true } })
  await server.call('PUT', '/a.json?ns=shop', { body: '1' })
  await server.call('GET', '/mine.json')
})
afterAll(() => server[Symbol.asyncDispose]())

/** As the holder of the super secret of `app`. */
const asApp = <Name extends ValueName>(name: Name, input: InputOf<Name>) => server.admin(name, input, server.secret)

test('the super secret of an application shows its own requests only', async () => {
  const all = await server.admin('requests-recent', { kind: 'recent' })
  expect(all.map(({ application }) => application)).toContain('shop')
  for (const application of [undefined, 'shop', 'app']) {
    const own = await asApp('requests-recent', {
      kind: 'recent',
      ...(application === undefined ? {} : { application }),
    })
    expect(own.map(({ path }) => path)).toContain('/mine.json')
    expect(new Set(own.map((request) => request.application))).toEqual(new Set(['app']))
  }
})

test('it shows its own streams only, and ends no other', async () => {
  await using ofShop = await openSource(server, '/a.json?ns=shop')
  await using ofApp = await openSource(server, '/a.json')
  await Promise.all([ofShop.next(), ofApp.next()])
  const own = await asApp('streams', { application: 'shop' })
  expect(own.total).toBe(1)
  expect(own.streams.map(({ application }) => application)).toEqual(['app'])
  const { streams } = await server.admin('streams', { application: 'shop' })
  expect(await asApp('stream-end', { id: streams[0]?.id ?? '' })).toEqual({ ended: false })
  expect((await server.admin('streams', {})).total).toBe(2)
  expect(await asApp('stream-end', { id: own.streams[0]?.id ?? '' })).toEqual({ ended: true })
})

test('it shows its own connections only, and ends no other', async () => {
  await using ofShop = await SdkClient.connect(server, 'v=5&ns=shop')
  const ofApp = await SdkClient.connect(server, 'v=5&ns=app')
  const own = await asApp('connections', { application: 'shop' })
  expect(own.connections.map(({ application }) => application)).toEqual(['app'])
  const { connections } = await server.admin('connections', { application: 'shop' })
  expect(await asApp('connection-end', { id: connections[0]?.id ?? '' })).toEqual({ ended: false })
  expect(await asApp('connection-end', { id: own.connections[0]?.id ?? '' })).toEqual({ ended: true })
  expect((await ofApp.closed.promise).code).toBe(1001)
  expect((await ofShop.request('s', {})).status).toBe('ok')
})

test('it opens its own application only, and nothing of the server', async () => {
  await asApp('tree-set-rules', { id: 'app', source: '{"rules": {".read": true}}' })
  expect((await asApp('rules-history', { id: 'app' }))[0]).toMatchObject({ by: 'application' })
  const refused = [
    asApp('rules-history', { id: 'shop' }),
    asApp('indexes', { id: 'shop' }),
    asApp('index-drop', { id: 'shop', path: '/a', child: 'b' }),
    asApp('sms-batches', { id: 'shop' }),
    asApp('sms-search', { id: 'shop', rrid: 'a' }),
    asApp('sms-signature', { id: 'shop', method: 'GET', url: '/' }),
    asApp('metrics-hour', {}),
    asApp('clients', {}),
    asApp('backups', {}),
    asApp('backup-state', {}),
    asApp('backup-make', {}),
    asApp('backup-restore', { name: 'a', id: 'app', confirm: 'app' }),
  ]
  for (const each of await Promise.allSettled(refused)) {
    expect(each).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(/^403 /) } })
  }
})

test('bad input is an error with a status', async () => {
  const call = (name: string, body: string) =>
    server.call('POST', `/.admin/operations/${name}`, { headers: { Authorization: `Bearer ${server.operator}` }, body })
  for (const [name, body] of [
    ['requests-recent', '{"kind": "all"}'],
    ['stream-end', '{"id": "x"}'],
    ['streams', '{"application": 1}'],
    ['indexes', '{}'],
    ['index-drop', '{"id": "app", "path": "a.b", "child": "c"}'],
    ['backup-make', '{"ids": []}'],
    ['backup-restore', '{"name": "a", "id": "app"}'],
    ['sms-search', '{"id": "app", "number": ""}'],
    ['sms-batches', '{"id": "app", "after": {}}'],
    ['sms-signature', '{"id": "app"}'],
  ] as const) {
    expect({ name, status: (await call(name, body)).status }).toEqual({ name, status: 400 })
  }
  for (const name of ['indexes', 'rules-history', 'sms-batches']) {
    expect({ name, status: (await call(name, '{"id": "none"}')).status }).toEqual({ name, status: 404 })
  }
})

test('the metrics of an hour are answered', async () => {
  const { stepMs, times, series } = await server.admin('metrics-hour', {})
  expect(stepMs).toBe(10_000)
  expect(Object.values(series).map(({ length }) => length)).toEqual(Object.values(series).map(() => times.length))
})
