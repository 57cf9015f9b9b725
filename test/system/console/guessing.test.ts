import { expect, test } from 'bun:test'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { codeOf, cookieOf, logIn, OPERATOR, operate, statusOf, tryLogin } from './console-client.ts'

const LIMIT = 5
const GUESSES = [...Array(30).keys()]

test.each([
  ['logins of the operator', (guess: string) => ({ secret: guess })],
  ['logins of an application', (guess: string) => ({ secret: guess, application: 'app' })],
  ['logins of applications that do not exist', (guess: string) => ({ secret: guess, application: guess })],
])('guesses by %s are counted, all at once too, and the right secret is let in', async (_, body) => {
  await using server = await startInProcess({ failedCredentials: LIMIT, console: { secret: OPERATOR } })
  const answers = await Promise.all(GUESSES.map((guess) => tryLogin(server, body(`guess-${guess}`))))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(LIMIT)
  expect(statuses.filter((status) => status === 429)).toHaveLength(GUESSES.length - LIMIT)
  const refused = answers.find(({ status }) => status === 429)
  expect(refused?.headers.get('retry-after')).toBe('60')
  for (const answer of answers) expect(cookieOf(answer)).not.toContain('=ey')
  expect(await statusOf(server, await logIn(server))).toBe(200)
  await logIn(server, { secret: SECRET, application: 'app' })
})

test('guesses of programs count together with those of logins and of the tree', async () => {
  await using server = await startInProcess({ failedCredentials: LIMIT, console: { secret: OPERATOR } })
  for (const guess of GUESSES.slice(0, 2)) {
    expect((await operate(server, 'list', {}, { Authorization: `Bearer guess-${guess}` })).status).toBe(401)
    expect((await server.call('GET', `/a.json?auth=guess-${guess}`)).status).toBe(401)
  }
  expect((await tryLogin(server, { secret: 'guess' })).status).toBe(401)
  expect((await tryLogin(server, { secret: 'guess' })).status).toBe(429)
  expect((await operate(server, 'list', {}, { Authorization: 'Bearer guess' })).status).toBe(429)
  expect((await operate(server, 'list', {}, { Authorization: `Bearer ${OPERATOR}` })).status).toBe(200)
})

test('forged and ended cookies are no guesses', async () => {
  await using server = await startInProcess({ failedCredentials: 1, console: { secret: OPERATOR } })
  for (const guess of GUESSES) {
    const headers = { Cookie: `__Host-dhole-console=${guess}.x`, 'X-CSRF-Token': 'x' }
    expect((await operate(server, 'list', {}, headers)).status).toBe(401)
  }
  expect((await tryLogin(server, { secret: 'guess' })).status).toBe(401)
})

test.each([
  ['a long secret', JSON.stringify({ secret: 'a'.repeat(5000) }), 20404],
  ['no object', '[]', 20701],
  ['no secret', '{}', 20701],
  ['a secret of another type', '{"secret":1}', 20701],
  ['an application of another type', `{"secret":"${OPERATOR}","application":["app"]}`, 20701],
  ['another member', `{"secret":"${OPERATOR}","admin":true}`, 20701],
  ['no JSON', `secret=${OPERATOR}`, 20202],
  ['nothing', '', 20202],
])('a login with %s is refused', async (_, body, code) => {
  await using server = await startInProcess({ console: { secret: OPERATOR } })
  const answer = await server.call('POST', '/.admin/session', { body })
  expect({ status: answer.status, code: codeOf(answer), cookie: cookieOf(answer) }).toEqual({
    status: 400,
    code,
    cookie: '',
  })
  expect(answer.text).not.toContain(OPERATOR)
})

test('a packed login that unpacks to more than a login may have is refused', async () => {
  await using server = await startInProcess({ console: { secret: OPERATOR } })
  const body = Bun.gzipSync(new TextEncoder().encode(JSON.stringify({ secret: 'a'.repeat(1024 * 1024) })))
  const answer = await server.call('POST', '/.admin/session', { body, headers: { 'Content-Encoding': 'gzip' } })
  expect({ status: answer.status, code: codeOf(answer) }).toEqual({ status: 400, code: 20404 })
})
