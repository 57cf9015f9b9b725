import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import {
  APPLICATION,
  authenticator,
  base64url,
  failureOf,
  firebase,
  HEADER,
  NOW,
  NOW_MS,
  NOWHERE,
  OTHER_SECRET,
  payloadOf,
  SECRET,
  token,
  wilddog,
} from './hand-made.ts'

/** What an ID token says that was made at the time of all tests. */
const issued = { v: 1, iss: 'dhole', aud: APPLICATION, iat: NOW, exp: NOW + 3600 }
const ann = { sub: 'ann', uid: 'ann', provider: 'custom' }

describe('a custom token for an ID token', () => {
  test.each([
    ['Wilddog', wilddog({ claims: { role: 'keeper' } }), { ...issued, ...ann, claims: { role: 'keeper' } }],
    ['Wilddog, no claims', wilddog(), { ...issued, ...ann, claims: {} }],
    ['with less than an hour left', wilddog({ exp: NOW + 90 }), { ...issued, ...ann, claims: {}, exp: NOW + 90 }],
    ['with more than an hour left', wilddog({ exp: NOW + 9000 }), { ...issued, ...ann, claims: {} }],
    ['of an end between two seconds', wilddog({ exp: NOW + 90.7 }), { ...issued, ...ann, claims: {}, exp: NOW + 90 }],
    ['of an end beyond all time', wilddog({ exp: 1e308 }), { ...issued, ...ann, claims: {} }],
    ['debug', wilddog({ debug: true }), { ...issued, ...ann, claims: {}, debug: true }],
    ['an admin', wilddog({ admin: true, uid: undefined }), { ...issued, admin: true }],
    [
      'Firebase',
      firebase({ d: { uid: 'a b', role: 'keeper' } }),
      { ...issued, sub: 'a b', uid: 'a b', provider: 'custom', claims: { uid: 'a b', role: 'keeper' } },
    ],
  ])('%s', async (_, payload, said) => {
    const { idToken, expireIn } = await authenticator().exchange(token(payload), NOWHERE)
    expect(payloadOf(idToken)).toEqual(said as never)
    expect(expireIn).toBe(said.exp - NOW)
  })

  test('the ID token stands for the same user', async () => {
    const subject = authenticator()
    const payload = wilddog({ claims: { role: 'keeper' }, admin: true, debug: true })
    const { idToken } = await subject.exchange(token(payload), NOWHERE)
    expect(await subject.authenticate(idToken, NOWHERE)).toEqual({
      kind: 'admin',
      auth: { uid: 'ann', provider: 'custom', token: { role: 'keeper' } },
      expiresAt: NOW_MS + 3_600_000,
      debug: true,
    })
  })

  test('names of prototypes survive', async () => {
    const subject = authenticator()
    const payload = `{"v":1,"uid":"ann","iat":${NOW},"claims":{"__proto__":{"a":1},"constructor":2}}`
    const { idToken } = await subject.exchange(token(payload), NOWHERE)
    const { auth } = await subject.authenticate(idToken, NOWHERE)
    expect(Object.keys(auth!['token'] as object)).toEqual(['__proto__', 'constructor'])
  })

  test('the ID token is good until it ends, and no longer', async () => {
    let now = NOW_MS
    const subject = authenticator({ now: () => now })
    const { idToken } = await subject.exchange(token(wilddog({ exp: NOW + 60 })), NOWHERE)
    now += 59_999
    expect(await subject.authenticate(idToken, NOWHERE)).toMatchObject({ kind: 'user' })
    now += 1
    expect(await failureOf(() => subject.authenticate(idToken, NOWHERE))).toBe('token-expired')
  })

  test('a second is lost rather than won', async () => {
    const subject = authenticator({ now: () => NOW_MS + 900 })
    const { idToken, expireIn } = await subject.exchange(token(wilddog({ exp: NOW + 2 })), NOWHERE)
    expect(payloadOf(idToken)).toMatchObject({ iat: NOW, exp: NOW + 2 })
    expect(expireIn).toBe(2)
    expect(await failureOf(() => subject.exchange(token(wilddog({ exp: NOW + 0.95 })), NOWHERE))).toBe('token-expired')
  })
})

test.each([
  ['absent', undefined, 'token-missing'],
  ['null', null, 'token-missing'],
  ['empty', '', 'bad-token'],
  ['a number', 7, 'bad-token'],
  ['an object', { token: token(wilddog()) }, 'bad-token'],
  ['the secret', SECRET, 'bad-token'],
  ['owner', 'owner', 'bad-token'],
  ['of another secret', token(wilddog(), HEADER, { secret: OTHER_SECRET }), 'bad-token'],
  ['expired', token(wilddog({ exp: NOW })), 'token-expired'],
  ['not good yet', token(wilddog({ iat: NOW + 6 })), 'token-refused'],
  ['of another algorithm', token(wilddog(), { alg: 'none' }), 'token-refused'],
  ['without a user', token(wilddog({ uid: undefined })), 'token-payload'],
])('no ID token for a token that is %s', async (_, given, code) => {
  const subject = authenticator({ development: true })
  expect(await failureOf(() => subject.exchange(given, { ...NOWHERE, isBearer: true, isLoopback: true }))).toBe(code)
})

describe('ID tokens', () => {
  const idToken = async (application: string, secret = SECRET): Promise<string> =>
    (await authenticator({ application, secret }).exchange(token(wilddog(), HEADER, { secret }), NOWHERE)).idToken

  test('cannot be exchanged again', async () => {
    const subject = authenticator()
    const text = await idToken(APPLICATION)
    expect(await failureOf(() => subject.exchange(text, NOWHERE))).toBe('bad-token')
    await subject.authenticate(text, NOWHERE)
    expect(await failureOf(() => subject.exchange(text, NOWHERE))).toBe('bad-token')
  })

  test('of another application are refused, even where both have one secret', async () => {
    expect(await failureOf(async () => authenticator().authenticate(await idToken('farm'), NOWHERE))).toBe(
      'token-refused',
    )
    expect(await failureOf(async () => authenticator().authenticate(await idToken('zoo', OTHER_SECRET), NOWHERE))).toBe(
      'bad-token',
    )
  })

  test('cannot be made of what is known of one', async () => {
    const text = await idToken(APPLICATION)
    const [header, , signature] = text.split('.')
    const payload = base64url(JSON.stringify({ ...payloadOf(text), uid: 'bob', sub: 'bob' }))
    expect(await failureOf(() => authenticator().authenticate(`${header}.${payload}.${signature}`, NOWHERE))).toBe(
      'bad-token',
    )
  })

  const key = createHmac('sha256', SECRET).update('dhole id token key 1').digest()
  const good = { ...issued, ...ann, claims: {} }
  test.each([
    ['as they are', good, expect.objectContaining({ kind: 'user' })],
    ['no end', { ...good, exp: undefined }, 'token-payload'],
    ['no beginning', { ...good, iat: undefined }, 'token-payload'],
    ['another version', { ...good, v: 0, d: { uid: 'ann' } }, 'token-payload'],
    ['no user', { ...good, uid: undefined }, 'token-payload'],
    ['claims as a list', { ...good, claims: [] }, 'token-payload'],
    ['no audience', { ...good, aud: undefined }, 'token-refused'],
    ['several audiences', { ...good, aud: [APPLICATION] }, 'token-refused'],
    ['not good yet', { ...good, iat: NOW + 6 }, 'token-refused'],
    ['expired', { ...good, exp: NOW }, 'token-expired'],
  ])('%s', async (_, payload, outcome) => {
    expect(
      await failureOf(() => authenticator().authenticate(token(payload, HEADER, { secret: key }), NOWHERE)),
    ).toEqual(outcome)
  })
})

test('claims that leave no room for what an ID token adds are refused', async () => {
  const text = token(wilddog({ claims: { padding: 'x'.repeat(12_100) } }))
  expect(await authenticator().authenticate(text, NOWHERE)).toMatchObject({ kind: 'user' })
  expect(await failureOf(() => authenticator().exchange(text, NOWHERE))).toBe('token-payload')
})
