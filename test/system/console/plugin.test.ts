import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import { dhole } from '../../../src/index.ts'
import { startInProcess } from '../../support/https-server.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { cookieOf, logIn, OPERATOR, operate, statusOf } from './console-client.ts'

const PROXIED = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '203.0.113.7' }

test('without the option there is no admin API, and no secret', async () => {
  await using server = await startInProcess()
  const answer = await server.call('POST', '/.admin/session', { body: JSON.stringify({ secret: OPERATOR }) })
  expect({ status: answer.status, cookie: cookieOf(answer) }).toEqual({ status: 400, cookie: '' })
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  expect(await Bun.file(join(server.dataDir, 'operator.secret')).exists()).toBe(false)
})

test('a secret that the options do not give is made and kept', async () => {
  await using server = await startInProcess({ console: true })
  const file = join(server.dataDir, 'operator.secret')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const session = await logIn(server, { secret: (await Bun.file(file).text()).trim() })
  expect(await statusOf(server, session)).toBe(200)
})

test('applications stay those of the options', async () => {
  await using server = await startInProcess({ console: { secret: OPERATOR } })
  const { headers } = await logIn(server)
  for (const [name, input] of [
    ['add', { id: 'chat', settings: {} }],
    ['remove', { id: 'app', deleteData: true }],
    ['rotate', { id: 'app', rotation: { key: 'secret' } }],
    ['reload', {}],
    ['doctor', {}],
  ] as const) {
    expect({ name, status: (await operate(server, name, input, headers)).status }).toEqual({ name, status: 409 })
  }
})

test('below a prefix the API is there, and nowhere else', async () => {
  await using dir = await tempDir()
  const options = { dataDir: dir.path, console: { secret: OPERATOR }, prefix: '/tree' }
  const app = new Elysia().use(dhole(options))
  const at = (prefix: string) => ({
    call: async (method: string, path: string, init: object = {}) => {
      const reply = await app.handle(new Request(`https://localhost${prefix}${path}`, { ...init, method }))
      return { status: reply.status, headers: reply.headers, text: await reply.text() }
    },
  })
  const session = await logIn(at('/tree'))
  expect(await statusOf(at('/tree'), session)).toBe(200)
  expect(await statusOf(at(''), session)).toBe(404)
  await app.stop()
})

test('behind a proxy that ends TLS and changes the host, pages of the same origin can call and others cannot', async () => {
  await using dir = await tempDir()
  const options = { dataDir: dir.path, console: { secret: OPERATOR }, trustProxy: ['127.0.0.1'] }
  const app = new Elysia().use(dhole(options)).listen({ hostname: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${app.server?.port}`
  try {
    const send = async (path: string, body: object, headers: Record<string, string>) => {
      const reply = await fetch(url + path, { method: 'POST', body: JSON.stringify(body), headers })
      return { status: reply.status, headers: reply.headers, text: await reply.text() }
    }
    const secret = { secret: OPERATOR }
    expect((await send('/.admin/session', secret, {})).status).toBe(404)
    expect((await send('/.admin/session', secret, { ...PROXIED, 'X-Forwarded-Proto': 'http' })).status).toBe(404)
    const login = await send('/.admin/session', secret, PROXIED)
    expect(login.headers.get('set-cookie')).toContain('; Secure;')
    const { csrf } = JSON.parse(login.text) as { csrf: string }
    const headers = { ...PROXIED, Cookie: cookieOf(login), 'X-CSRF-Token': csrf }
    const page = { Origin: 'https://db.example.org' }
    const list = async (more: Record<string, string>) =>
      (await send('/.admin/operations/list', {}, { ...headers, ...more })).status
    expect(await list({ ...page, 'Sec-Fetch-Site': 'same-origin' })).toBe(200)
    expect(await list({ ...page, Host: 'db.example.org' })).toBe(200)
    expect(await list(page)).toBe(403)
    expect(await list({ ...page, 'Sec-Fetch-Site': 'cross-site', Host: 'db.example.org' })).toBe(403)
  } finally {
    await app.stop(true)
  }
})

test('metrics count requests of the API as such, and do not learn names that do not exist', async () => {
  const seen: string[] = []
  const observer = {
    storeFailed() {},
    storeTroubled() {},
    requestFailed() {},
    requestEnded: ({ operation, path, status }: { operation: string; path: string; status: number }) =>
      void seen.push(`${operation} ${path} ${status}`),
  }
  await using server = await startInProcess({ console: { secret: OPERATOR }, observer })
  const { headers } = await logIn(server)
  await operate(server, 'list', {}, headers)
  await operate(server, 'name-that-may-be-anything', {}, headers)
  await server.call('OPTIONS', '/.admin/session')
  expect(seen).toEqual([
    'admin /.admin/session 200',
    'admin /.admin/operations/list 200',
    'other  404',
    'options /.admin/session 204',
  ])
})
