import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { dhole } from '../../src/index.ts'
import { type TempDir, tempDir } from '../support/temp-dir.ts'
import { errorBody, errors } from './errors.ts'

const applications = { app: { open: true } }

interface PlainServer {
  readonly url: string
  stop(): Promise<void>
}

function startPlain(dataDir: string, trustProxy: readonly string[]): PlainServer {
  const app = new Elysia({ handler: { standardHostname: false } })
    .use(dhole({ dataDir, applications, trustProxy }))
    .listen({ hostname: '127.0.0.1', port: 0 })
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

describe('behind a trusted proxy', () => {
  const proxied = { 'X-Forwarded-Proto': 'https' }

  test('only what came to it over TLS touches data', async () => {
    await using dir = await tempDir()
    const server = startPlain(dir.path, ['127.0.0.1'])
    const put = await fetch(`${server.url}/a.json`, { method: 'PUT', body: '1', headers: proxied })
    expect([put.status, await put.text()]).toEqual([200, '1'])
    expect(put.headers.get('strict-transport-security')).toBe('max-age=31556926; includeSubDomains; preload')
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
