import { expect, test } from 'bun:test'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { inLanes } from '../../support/lane.ts'
import { customToken, nowInSeconds } from '../../support/token.ts'
import { withServer } from '../../support/with-server.ts'
import { errorBody, errors } from './errors.ts'
import { play } from './interpreter.ts'
import { ruleRows } from './rules.ts'

const server = withServer()

const rows = ruleRows.map((row) => [row.name, row] as const)
test.each(rows)('%s', (_, row) => play(row, server.call))
// In the short lane HTTP/2 has a fifth of the rows.
const overHttp2 = inLanes(
  rows.filter((_, at) => at % 5 === 0),
  rows,
)
test.each(overHttp2)('%s (HTTP/2)', (_, row) => play(row, server.http2))

const EXCHANGE = '/.auth/customTokenToIdToken.json'

test('94 an ID token for a custom token', async () => {
  const secret = encodeURIComponent(SECRET)
  const rules = { users: { $u: { '.read': 'auth.uid === $u && auth.token.role === "x"' } } }
  await server.call('PUT', `/.settings/rules.json?auth=${secret}`, { body: JSON.stringify({ rules }) })
  const token = customToken(SECRET, { v: 1, iat: nowInSeconds(), uid: 'ann', claims: { role: 'x' } })
  const answer = await server.call('POST', EXCHANGE, { body: JSON.stringify({ token }) })
  expect(answer.status).toBe(200)
  const { idToken, expireIn } = JSON.parse(answer.text) as { idToken: string; expireIn: number }
  expect(expireIn).toBeWithin(1, 3601)
  expect((await server.call('GET', `/users/ann.json?auth=${idToken}`)).text).toBe('null')
  expect((await server.call('GET', `/users/bob.json?auth=${idToken}`)).status).toBe(403)
})

test('7 an application of the profile firebase answers everybody as Firebase does', async () => {
  await using firebase = await startInProcess({ applications: { app: { secret: SECRET, profile: 'firebase' } } })
  const answer = await firebase.call('GET', '/a.json')
  expect([answer.status, JSON.parse(answer.text)]).toEqual([401, errorBody(errors.deniedFirebase)])
})

const refused: readonly (readonly [what: string, body: string, status: number, code: string, text: string])[] = [
  ['no token', '{}', 400, '20507', 'The custom token is null'],
  ['a null token', '{"token":null}', 400, '20507', 'The custom token is null'],
  ['no JSON', '{', 400, '20202', 'The data of request is invalid'],
  ['no object', '"x"', 400, '20202', 'The data of request is invalid'],
  ['no body', '', 400, '20202', 'The data of request is invalid'],
  ['no JWT', '{"token":"x"}', 401, '20510', 'The token is invalid'],
  ['the secret', JSON.stringify({ token: SECRET }), 401, '20510', 'The token is invalid'],
  [
    'an expired one',
    JSON.stringify({ token: customToken(SECRET, { v: 1, iat: 1, uid: 'ann' }) }),
    401,
    '20510',
    'The token is invalid',
  ],
  [
    'one without a user',
    JSON.stringify({ token: customToken(SECRET, { v: 1, iat: nowInSeconds() }) }),
    401,
    '20506',
    'Token payload exception',
  ],
]

test.each(refused)('94 %s is no custom token', async (_, body, status, code, errorMessage) => {
  const answer = await server.call('POST', EXCHANGE, { body })
  expect([answer.status, JSON.parse(answer.text)]).toEqual([status, { error: { code, errorMessage } }])
})

test('94 the exchange knows one method and one path', async () => {
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
    const { status } = await server.call(method, EXCHANGE, method === 'GET' ? {} : { body: '{}' })
    expect([method, status]).toEqual([method, 405])
  }
  expect((await server.call('POST', '/.auth/other.json', { body: '{}' })).status).toBe(400)
})
