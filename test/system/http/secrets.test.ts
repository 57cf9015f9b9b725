import { expect, test } from 'bun:test'
import { spawnServer } from '../../support/server-process.ts'
import { customToken } from '../../support/token.ts'

const SECRET = 'never-to-be-seen-in-a-log-7f3a'
const WRONG = 'wrong-credential-to-be-kept-quiet'

test('no log line holds a credential, right or wrong', async () => {
  const server = await spawnServer({ APP_SECRET: SECRET, LOG_LEVEL: 'debug' })
  const tls = { ca: await Bun.file(server.certificate).text() }
  const ask = async (target: string, init: RequestInit = {}): Promise<number> =>
    (await fetch(`${server.url}${target}`, { ...init, tls } as RequestInit)).status
  const statuses: number[] = []
  for (const credential of [SECRET, WRONG]) {
    statuses.push(
      await ask(`/a.json?auth=${credential}`),
      await ask(`/a.json?access_token=${credential}`),
      await ask('/a.json', { headers: { Authorization: `Bearer ${credential}` } }),
      await ask('/a.json', { headers: { Authorization: `Basic ${credential}` } }),
      await ask(`/a.json?auth=${credential}`, { method: 'PUT', body: '{' }),
      await ask(`/no-suffix?auth=${credential}`),
      await ask(`/a.json?auth=${credential}&print=x`),
      await ask(`/a.json?auth=${credential}`, { method: 'LOCK' }),
    )
  }
  expect(statuses).toEqual([200, 200, 200, 401, 400, 400, 400, 405, 401, 401, 401, 401, 401, 400, 400, 405])
  await server.stop()
  const printed = server.output()
  expect(printed).toContain('listening on')
  expect(printed).not.toContain(SECRET)
  expect(printed).not.toContain(WRONG)
})

/** Where a credential can come to stand by mistake or malice. Keys and names of applications are no place for one. */
const HOSTILE: readonly ((credential: string) => readonly [target: string, init?: RequestInit])[] = [
  (credential) => [`/metrics?auth=${credential}`],
  (credential) => ['/metrics', { headers: { Authorization: `Bearer ${credential}` } }],
  (credential) => [`/a.json&auth=${credential}`],
  (credential) => [`/a/auth=${credential}/b.json`],
  (credential) => [`/a%3Fauth%3D${credential}.json`],
  (credential) => [`/a.json%3Faccess_token=${credential}`],
  (credential) => [`/${credential}`],
  (credential) => [`/health/${credential}`],
  (credential) => [`/a.json#auth=${credential}`],
  (credential) => [`/a.json?callback=${credential}`],
  (credential) => [`/a.json?orderBy=${credential}&auth=${credential}`],
  (credential) => [`/api/v1/app/status?signature=${credential}&rrid=1`],
  (credential) => ['/.auth/customTokenToIdToken.json', { method: 'POST', body: JSON.stringify({ token: credential }) }],
  (credential) => [`/.settings/rules.json?auth=${credential}`, { method: 'PUT', body: `{"rules":${credential}` }],
  (credential) => ['/a.json', { method: 'PUT', body: credential, headers: { Authorization: credential } }],
  (credential) => ['/a.json', { headers: { Cookie: credential, Accept: `text/event-stream;${credential}` } }],
  (credential) => [
    '/none',
    { headers: { 'X-Request-Id': `Bearer ${credential}`, Authorization: `Bearer ${credential}` } },
  ],
]

test('nor does one of hostile requests, at any level, whatever is slow', async () => {
  const token = customToken(SECRET, { uid: 'ann' })
  const guess = customToken('a secret that is guessed', { uid: 'ann', admin: true })
  for (const level of ['debug', 'info']) {
    const server = await spawnServer({
      APP_SECRET: SECRET,
      LOG_LEVEL: level,
      SLOW_REQUEST_MS: '1',
      METRICS_PORT: '0',
      FAILED_CREDENTIALS: '0',
    })
    const tls = { ca: await Bun.file(server.certificate).text() }
    for (const credential of [SECRET, WRONG, token, guess]) {
      for (const request of HOSTILE) {
        const [target, init = {}] = request(credential)
        const reply = await fetch(server.url + target, { ...init, tls } as RequestInit)
        await reply.body?.cancel()
      }
    }
    await server.stop()
    const printed = server.output()
    if (level === 'debug') expect(printed.split('\n').length).toBeGreaterThan(4 * HOSTILE.length)
    for (const credential of [
      SECRET,
      WRONG,
      token,
      guess,
      ...token.split('.').slice(1),
      ...guess.split('.').slice(1),
    ]) {
      expect(printed.includes(credential)).toBe(false)
    }
  }
})
