import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { Elysia } from 'elysia'
import { type DholeOptions, dhole } from '../../../src/index.ts'
import { storageOf } from '../../support/engine.ts'
import { type HttpsServer, startInProcess } from '../../support/https-server.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { errorBody, errors } from './errors.ts'

const applications = { app: { open: true } }

interface PlainServer {
  readonly url: string
  stop(): Promise<void>
}

function startPlain(
  dataDir: string,
  trustProxy: readonly string[],
  options: DholeOptions = {},
  hostname = '127.0.0.1',
): PlainServer {
  const app = new Elysia({ handler: { standardHostname: false } })
    .use(dhole({ ...storageOf(dataDir), dataDir, applications, trustProxy, ...options }))
    .listen({ hostname, port: 0 })
  return { url: `http://127.0.0.1:${app.server?.port}`, stop: async () => void (await app.stop(true)) }
}

describe('without a trusted proxy', () => {
  let dir: TempDir
  let server: PlainServer

  beforeAll(async () => {
    dir = await tempDir()
    server = startPlain(dir.path, [])
  })

  afterAll(async () => {
    await server.stop()
    await dir[Symbol.asyncDispose]()
  })

  test.each([
    ['95 GET', 'GET', '/.json', {}],
    ['PUT', 'PUT', '/a.json', {}],
    ['POST', 'POST', '/a.json', {}],
    ['PATCH', 'PATCH', '/a.json', {}],
    ['DELETE', 'DELETE', '/a.json', {}],
    ['OPTIONS', 'OPTIONS', '/a.json', {}],
    ['a path without suffix', 'GET', '/a', {}],
    ['an unknown application', 'GET', '/a.json?ns=other', {}],
    ['the time', 'GET', '/a.json?sv=timestamp', {}],
    ['a callback', 'GET', '/a.json?callback=cb', {}],
    ['a client that claims to be a proxy', 'GET', '/.json', { 'X-Forwarded-Proto': 'https' }],
    ['another header of proxies', 'GET', '/.json', { Forwarded: 'proto=https' }],
  ] as const)('%s over plain HTTP is 404', async (_, method, target, headers) => {
    const body = method === 'PUT' || method === 'POST' || method === 'PATCH' ? '{"a":1}' : null
    const reply = await fetch(`${server.url}${target}`, { method, headers, body })
    expect(reply.status).toBe(404)
    expect(await reply.json()).toEqual(errorBody(errors.plainHttp))
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(reply.headers.get('access-control-allow-origin')).toBe('*')
    expect(reply.headers.get('strict-transport-security')).toBeNull()
  })
})

describe('Strict-Transport-Security', () => {
  const VALUE = 'max-age=31536000; includeSubDomains'
  const sent = async (server: HttpsServer, target: string, host: string) => {
    const { headers } = await server.call('GET', target, { headers: { Host: host } })
    return headers.get('strict-transport-security')
  }
  const TARGETS = ['/a.json', '/a', '/health', '/swagger', '/docs/live', '/a.json?callback=f', '/.json?auth=none']

  test('is not sent unless it is asked for', async () => {
    await using server = await startInProcess({ docs: true })
    for (const target of TARGETS) expect([target, await sent(server, target, 'tree.example')]).toEqual([target, null])
  })

  test('is sent with every answer as it is set, but never under a name of loopback', async () => {
    await using server = await startInProcess({ docs: true, strictTransport: VALUE })
    for (const target of TARGETS) {
      expect([target, await sent(server, target, 'tree.example')]).toEqual([target, VALUE])
      expect([target, await sent(server, target, 'localhost:8443')]).toEqual([target, null])
      expect([target, await sent(server, target, 'app.localhost')]).toEqual([target, null])
    }
  })

  test.each(['', 'yes', 'max-age', 'max-age=1, preload', 'max-age=1\r\nX: y'])('%j is no value for it', (value) => {
    expect(() => dhole({ strictTransport: value })).toThrow(TypeError)
  })

  test('is not sent over plain HTTP', async () => {
    await using dir = await tempDir()
    const server = startPlain(dir.path, ['127.0.0.1'], { strictTransport: VALUE })
    const of = async (headers: Readonly<Record<string, string>>) =>
      (await fetch(`${server.url}/a.json`, { headers })).headers.get('strict-transport-security')
    expect(await of({ Host: 'tree.example' })).toBeNull()
    expect(await of({ Host: 'tree.example', 'X-Forwarded-Proto': 'https' })).toBe(VALUE)
    await server.stop()
  })
})

describe('in development', () => {
  test('plain HTTP serves this machine, as emulators do', async () => {
    await using dir = await tempDir()
    const server = startPlain(dir.path, [], { development: true })
    const owner = { Authorization: 'Bearer owner' }
    const put = await fetch(`${server.url}/a.json?ns=app`, { method: 'PUT', body: '1', headers: owner })
    expect([put.status, await put.text()]).toEqual([200, '1'])
    expect(await (await fetch(`${server.url}/a.json`)).text()).toBe('1')
    expect((await fetch(`${server.url}/.settings/rules.json?ns=app`, { headers: owner })).status).toBe(200)
    expect((await fetch(`${server.url}/.settings/rules.json?ns=app`)).status).toBe(401)
    // A page whose name was pointed here needs no certificate on this port.
    const rebound = await fetch(`${server.url}/.settings/rules.json`, { headers: { ...owner, Host: 'evil.example' } })
    expect(rebound.status).toBe(401)
    await server.stop()
  })

  test("it serves Android's emulator, in which this machine has an address of its own", async () => {
    await using dir = await tempDir()
    const loopback = { applications: { app: { open: 'loopback' } } } as const
    const server = startPlain(dir.path, [], { ...loopback, development: true })
    const headers = { Host: '10.0.2.2:9000' }
    expect((await fetch(`${server.url}/a.json`, { headers })).status).toBe(200)
    await server.stop()
    await using other = await startInProcess(loopback)
    expect((await other.call('GET', '/a.json', { headers })).status).toBe(403)
  })

  const outside = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

  test.skipIf(outside === undefined)('it does not serve other addresses', async () => {
    await using dir = await tempDir()
    const server = startPlain(dir.path, [], { development: true }, '0.0.0.0')
    const { port } = new URL(server.url)
    // Whoever connects to this address of the machine comes from it.
    expect((await fetch(`http://${outside}:${port}/a.json`)).status).toBe(404)
    expect((await fetch(`http://127.0.0.1:${port}/a.json`)).status).toBe(200)
    await server.stop()
  })
})

describe('behind a trusted proxy', () => {
  const proxied = { 'X-Forwarded-Proto': 'https' }

  test('only what came to it over TLS touches data', async () => {
    await using dir = await tempDir()
    const server = startPlain(dir.path, ['127.0.0.1'])
    const put = await fetch(`${server.url}/a.json`, { method: 'PUT', body: '1', headers: proxied })
    expect([put.status, await put.text()]).toEqual([200, '1'])
    expect(put.headers.get('strict-transport-security')).toBeNull()
    for (const headers of [{}, { 'X-Forwarded-Proto': 'http' }, { 'X-Forwarded-Proto': 'http, https' }]) {
      const reply = await fetch(`${server.url}/a.json`, { method: 'PUT', body: '2', headers })
      expect(reply.status).toBe(404)
    }
    expect(await (await fetch(`${server.url}/a.json`, { headers: { 'X-Forwarded-Proto': 'HTTPS' } })).text()).toBe('1')
    await server.stop()
  })

  test('a peer that is not the proxy is not believed', async () => {
    await using dir = await tempDir()
    const server = startPlain(dir.path, ['192.0.2.1'])
    const reply = await fetch(`${server.url}/a.json`, { headers: proxied })
    expect(reply.status).toBe(404)
    await server.stop()
  })
})
