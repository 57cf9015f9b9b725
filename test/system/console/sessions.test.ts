import { expect, test } from 'bun:test'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { customToken } from '../../support/token.ts'
import { withServer } from '../../support/with-server.ts'
import { codeOf, cookieOf, logIn, OPERATOR, operate, statusOf, tryLogin } from './console-client.ts'

const server = withServer(() => startInProcess({ console: { secret: OPERATOR } }))

test('the cookie of a session is for this host over HTTPS only, and for no script', async () => {
  const { status, headers, text } = await tryLogin(server, { secret: OPERATOR })
  expect(status).toBe(200)
  const [pair = '', ...flags] = (headers.get('set-cookie') ?? '').split('; ')
  expect(pair).toMatch(/^__Host-dhole-console=[\w-]+\.[\w-]{43}$/)
  expect(flags.toSorted()).toEqual(['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Strict', 'Secure'])
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('access-control-allow-origin')).toBeNull()
  expect(text).not.toContain(pair.slice(pair.indexOf('=') + 1))
  expect(text).not.toContain(OPERATOR)
})

test('a session is told to its holder, with the same CSRF token', async () => {
  const { headers, csrf } = await logIn(server)
  const { status, text } = await server.call('GET', '/.admin/session', { headers })
  expect(status).toBe(200)
  expect(JSON.parse(text)).toEqual({ role: 'operator', csrf, expires: expect.any(Number) })
  const head = await server.call('HEAD', '/.admin/session', { headers })
  expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' })
})

test('a login makes a session of its own, whatever cookie it is sent with', async () => {
  const planted = await logIn(server)
  const answer = await tryLogin(server, { secret: OPERATOR }, { Cookie: planted.cookie })
  expect(cookieOf(answer)).not.toBe(planted.cookie)
  expect((JSON.parse(answer.text) as { csrf: string }).csrf).not.toBe(planted.csrf)
  const made = await tryLogin(server, { secret: OPERATOR }, { Cookie: '__Host-dhole-console=chosen.by.others' })
  expect(made.status).toBe(200)
  expect(cookieOf(made)).not.toContain('chosen')
})

test('an operation needs the CSRF token of its own session', async () => {
  const one = await logIn(server)
  const other = await logIn(server)
  for (const token of ['', 'x', other.csrf, `${one.csrf} `.repeat(2), one.csrf.slice(1)]) {
    const headers = { Cookie: one.cookie, ...(token === '' ? {} : { 'X-CSRF-Token': token }) }
    for (const [method, path] of [
      ['POST', '/.admin/operations/list'],
      ['DELETE', '/.admin/session'],
      ['DELETE', '/.admin/sessions'],
    ] as const) {
      const answer = await server.call(method, path, { headers, ...(method === 'POST' ? { body: '{}' } : {}) })
      expect({ method, path, token, status: answer.status, code: codeOf(answer) }).toMatchObject({
        status: 403,
        code: 20703,
      })
    }
  }
  expect(await statusOf(server, one)).toBe(200)
})

test.each([
  ['no cookie', () => ''],
  ['an empty one', () => '__Host-dhole-console='],
  ['another name', (cookie: string) => cookie.replace('__Host-', '')],
  ['two of the name', (cookie: string) => `${cookie}; ${cookie}`],
  ['another signature', (cookie: string) => `${cookie.slice(0, -4)}AAAA`],
  ['no signature', (cookie: string) => cookie.split('.')[0] ?? ''],
  ['another payload', (cookie: string) => withPayload(cookie, (payload) => ({ ...payload, seen: Date.now() + 1 }))],
  ['the role of an application', (cookie: string) => withPayload(cookie, (payload) => ({ ...payload, app: 'app' }))],
  ['an application that is a path', (cookie: string) => withPayload(cookie, (all) => ({ ...all, app: '../app' }))],
  ['no object', (cookie: string) => withPayload(cookie, () => [])],
  ['a huge one', (cookie: string) => `${cookie}${'a'.repeat(4000)}`],
  ['a custom token', () => `__Host-dhole-console=${customToken(OPERATOR, { uid: 'ann', admin: true })}`],
])('a session is not made of %s', async (_, change) => {
  const { cookie, csrf } = await logIn(server)
  const headers = { Cookie: change(cookie), 'X-CSRF-Token': csrf }
  const answer = await operate(server, 'list', {}, headers)
  expect({ status: answer.status, code: codeOf(answer) }).toEqual({ status: 401, code: 20702 })
})

test('a logout ends the session, also for those who have copied the cookie', async () => {
  const one = await logIn(server)
  const other = await logIn(server)
  const answer = await server.call('DELETE', '/.admin/session', { headers: one.headers })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('set-cookie')).toMatch(/^__Host-dhole-console=; .*Max-Age=0$/)
  expect(await statusOf(server, one)).toBe(401)
  expect(await statusOf(server, other)).toBe(200)
})

test('a logout everywhere ends all sessions of the operator, and none of an application', async () => {
  const sessions = await Promise.all([logIn(server), logIn(server)])
  const own = await logIn(server, { secret: SECRET, application: 'app' })
  const [one] = sessions
  expect((await server.call('DELETE', '/.admin/sessions', { headers: one.headers })).status).toBe(200)
  expect(await Promise.all(sessions.map((session) => statusOf(server, session)))).toEqual([401, 401])
  expect((await operate(server, 'tree-rules', { id: 'app' }, own.headers)).status).toBe(200)
  expect(await statusOf(server, await logIn(server))).toBe(200)
})

test('more logouts than are remembered one by one end nobody’s logout', async () => {
  const first = await logIn(server, { secret: SECRET, application: 'app' })
  await server.call('DELETE', '/.admin/session', { headers: first.headers })
  for (let count = 0; count < 201; count++) {
    const { headers } = await logIn(server, { secret: SECRET, application: 'app' })
    await server.call('DELETE', '/.admin/session', { headers })
  }
  expect((await operate(server, 'tree-rules', { id: 'app' }, first.headers)).status).toBe(401)
})

test.each([
  ['another site', { Origin: 'https://example.org' }],
  ['another site, as the browser says', { 'Sec-Fetch-Site': 'cross-site' }],
  ['another port of the host', { 'Sec-Fetch-Site': 'same-site' }],
  ['another port of the host, by its origin', { Origin: 'https://localhost:3000' }],
  ['a sandboxed frame', { Origin: 'null' }],
  ['a page without encryption', { Origin: 'http://localhost' }],
])('a page of %s can do nothing', async (_, foreign) => {
  const { headers } = await logIn(server)
  const body = JSON.stringify({ secret: OPERATOR })
  for (const [method, path, sent] of [
    ['POST', '/.admin/operations/list', '{}'],
    ['POST', '/.admin/session', body],
    ['GET', '/.admin/session', undefined],
    ['DELETE', '/.admin/session', undefined],
    ['DELETE', '/.admin/sessions', undefined],
  ] as const) {
    const answer = await server.call(method, path, { headers: { ...headers, ...foreign }, body: sent })
    expect({ method, path, status: answer.status, code: codeOf(answer) }).toMatchObject({ status: 403, code: 20703 })
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  }
  expect(await statusOf(server, { headers })).toBe(200)
})

test('a page of the same origin can call, and asking what others may call is answered with nothing', async () => {
  const { headers } = await logIn(server)
  const own = { Origin: server.url, 'Sec-Fetch-Site': 'same-origin' }
  expect(await statusOf(server, { headers: { ...headers, ...own } })).toBe(200)
  expect(await statusOf(server, { headers: { ...headers, Origin: server.url } })).toBe(200)
  const asked = { Origin: 'https://example.org', 'Access-Control-Request-Method': 'POST' }
  for (const path of ['/.admin/session', '/.admin/sessions', '/.admin/operations/list', '/.admin/operations/none']) {
    const answer = await server.call('OPTIONS', path, { headers: asked })
    expect(answer.status).toBe(204)
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  }
})

test.each(['PUT', 'PATCH', 'PROPFIND'])(
  '%s of a path of the API is refused, also where POST stands for it',
  async (method) => {
    const { headers } = await logIn(server)
    for (const path of ['/.admin/session', '/.admin/sessions', '/.admin/operations/list']) {
      const answer = await server.call(method, path, { headers, body: '{}' })
      expect(answer.status).toBe(405)
      expect(answer.headers.get('allow')).toContain('OPTIONS')
    }
    const overridden = { ...headers, 'X-HTTP-Method-Override': 'DELETE' }
    expect(await statusOf(server, { headers: overridden })).toBe(200)
    expect((await server.call('GET', '/.admin/operations/list', { headers })).status).toBe(405)
  },
)

test('the cookie is no credential for the tree, and a token none for the API', async () => {
  await using locked = await startInProcess({
    console: { secret: OPERATOR },
    applications: { app: { secret: SECRET } },
  })
  const { headers } = await logIn(locked)
  expect((await locked.call('GET', '/a.json', { headers })).status).toBe(403)
  expect((await locked.call('GET', `/a.json?auth=${OPERATOR}`)).status).toBe(401)
  const admin = customToken(SECRET, { uid: 'ann', admin: true })
  const answer = await operate(locked, 'tree-rules', { id: 'app' }, { Authorization: `Bearer ${admin}` })
  expect(answer.status).toBe(401)
})

/** The cookie with another payload and its old signature. */
function withPayload(cookie: string, change: (payload: object) => unknown): string {
  const [name = '', token = ''] = cookie.split('=')
  const [payload = '', signature = ''] = token.split('.')
  const changed = change(JSON.parse(Buffer.from(payload, 'base64url').toString()) as object)
  return `${name}=${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${signature}`
}
