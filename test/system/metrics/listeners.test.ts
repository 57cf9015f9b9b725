import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SECRET } from '../../support/https-server.ts'
import { spawnServer } from '../../support/server-process.ts'
import { customToken } from '../../support/token.ts'
import { parsePage } from './page.ts'
import { callPlain, OWNER, startWatched, type WatchedServer } from './watched-server.ts'

let server: WatchedServer

beforeAll(async () => {
  server = await startWatched({ HTTP_PORT: '0', METRICS_PORT: '0', FAILED_CREDENTIALS: '4' })
})

afterAll(() => server[Symbol.asyncDispose]())

const OK = '{"status":"ok"}'

test.each([
  ['GET', '/health', 200, OK],
  ['HEAD', '/health', 200, ''],
  ['GET', '/ready', 200, OK],
  ['HEAD', '/ready', 200, ''],
  ['GET', '/ready?auth=wrong&ns=none', 200, OK],
  ['OPTIONS', '/health', 204, ''],
] as const)('%s %s is answered to everybody', async (method, target, status, text) => {
  expect(await server.call(method, target)).toMatchObject({ status, text })
})

test.each(['PUT', 'POST', 'PATCH', 'DELETE', 'PROPFIND'])('%s is none of their methods', async (method) => {
  for (const path of ['/health', '/ready', '/metrics']) {
    const { status, headers } = await server.call(method, path, { headers: OWNER })
    expect({ path, status, allow: headers.get('allow') }).toEqual({ path, status: 405, allow: 'GET, HEAD, OPTIONS' })
  }
})

test('health and readiness are told over plain HTTP too, metrics and data are not', async () => {
  const origin = server.origin('plain HTTP')
  for (const path of ['/health', '/ready']) {
    const { status, text, headers } = await callPlain(origin + path)
    expect({ status, text }).toEqual({ status: 200, text: OK })
    expect(headers.has('strict-transport-security')).toBe(false)
    expect((await callPlain(origin + path, 'POST')).status).toBe(405)
  }
  for (const path of ['/metrics', `/metrics?auth=${SECRET}`, '/a.json', '/health.json']) {
    expect((await callPlain(origin + path)).status).toBe(404)
  }
})

test('metrics on their own port are for this machine', async () => {
  const origin = server.origin('metrics')
  expect(origin).toStartWith('http://127.0.0.1:')
  const page = await callPlain(`${origin}/metrics`)
  expect(page.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(parsePage(page.text).has('dhole_requests_total')).toBe(true)
  expect((await callPlain(`${origin}/metrics`, 'HEAD')).status).toBe(200)
  expect((await callPlain(`${origin}/metrics`, 'POST')).status).toBe(405)
  expect((await callPlain(`${origin}/a.json`)).status).toBe(404)
  expect((await callPlain(`${origin}/metrics`, 'GET', { headers: { Host: 'elsewhere.example' } })).status).toBe(403)
})

test('a port for metrics that is in use ends the start with a message', async () => {
  const port = new URL(server.origin('metrics')).port
  const failed = await spawnServer({ METRICS_PORT: port }).catch((error: unknown) => error)
  expect(String(failed)).toContain('ended with status 2')
  expect(String(failed)).toContain(`METRICS_PORT: port ${port} of 127.0.0.1 is in use`)
  expect(String(failed)).not.toContain('    at ')
})

test('over HTTPS metrics are for the owner, and others are refused', async () => {
  const failed = async () => (await server.scrape()).get('dhole_credential_failures_total')
  const user = customToken(SECRET, { uid: 'ann' })
  const admin = customToken(SECRET, { uid: 'root', admin: true })
  expect((await server.call('GET', `/metrics?auth=${SECRET}`)).status).toBe(200)
  expect((await server.call('GET', `/metrics?auth=${admin}`)).status).toBe(200)
  expect((await server.call('GET', `/metrics?auth=${user}`)).status).toBe(403)
  expect(await failed()).toBe(0)
  expect((await server.call('GET', '/metrics')).status).toBe(401)
  expect((await server.call('GET', '/metrics?auth=wrong')).status).toBe(401)
  expect(await failed()).toBe(1)
  for (const _ of [2, 3, 4]) expect((await server.call('GET', '/metrics?auth=wrong')).status).toBe(401)
  expect((await server.call('GET', '/metrics?auth=wrong')).status).toBe(429)
  expect((await server.call('GET', '/metrics')).status).toBe(401)
})
