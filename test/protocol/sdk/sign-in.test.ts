import { describe, expect, test } from 'bun:test'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { serviceAccount, signedByAccount, ticketPayload, unsignedToken } from '../../support/service-account.ts'
import { customToken, nowInSeconds, signedToken } from '../../support/token.ts'
import { withServer } from '../../support/with-server.ts'

const OTHER_SECRET = 'a secret of the other application'
const RULES = JSON.stringify({
  rules: {
    own: { $user: { '.read': "auth.uid === $user && auth.token.sub === $user && auth.provider === 'custom'" } },
  },
})

const [service, former, stranger] = [serviceAccount(), serviceAccount(), serviceAccount()]
const trusted = [former, service].map(({ publicKey }) => publicKey).join('\n')

const applications = {
  app: { secret: SECRET, rules: RULES, serviceAccount: trusted },
  other: { secret: OTHER_SECRET, rules: RULES },
}
const server = withServer(() => startInProcess({ applications, baseDomain: 'db.localhost' }))
/** Another process of the same applications. */
const second = withServer(() => startInProcess({ applications }))

const SIGN_IN = '/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken'
const LOOKUP = '/identitytoolkit.googleapis.com/v1/accounts:lookup'
const TOKEN = '/securetoken.googleapis.com/v1/token'

type Json = Readonly<Record<string, unknown>>

async function post(path: string, body: string | Json, on = server): Promise<{ status: number; json: Json }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await on.call('POST', path, { body: text })
  return { status: answer.status, json: JSON.parse(answer.text) }
}

/** Signs in, and expects that it works. */
async function signIn(token: string, key = 'app', on = server): Promise<Record<'idToken' | 'refreshToken', string>> {
  const { status, json } = await post(`${SIGN_IN}?key=${key}`, { token, returnSecureToken: true }, on)
  expect({ status, json }).toMatchObject({ status: 200, json: { expiresIn: '3600' } })
  return json as Record<'idToken' | 'refreshToken', string>
}

const refresh = (token: string, key = 'app', on = server) =>
  post(`${TOKEN}?key=${key}`, `grant_type=refresh_token&refresh_token=${token}`, on)

const payloadOf = (token: unknown): Json =>
  JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString())

const ticket = (changes: Json = {}, account = service) => signedByAccount(ticketPayload(changes), account)
/** The same, signed with the super secret. */
const ownTicket = (changes: Json = {}) => signedToken(SECRET, { alg: 'HS256', typ: 'JWT' }, ticketPayload(changes))
const unsigned = () => unsignedToken(ticketPayload())
const withoutTime = ({ iat: _, exp: __, auth_time: ___, ...rest }: Json) => rest

const said = { iss: 'dhole', aud: 'app', user_id: 'ann', sub: 'ann' }
const way = { firebase: { identities: {}, sign_in_provider: 'custom' } }

describe('a custom token signs a user in', () => {
  test.each([
    [
      'of Wilddog',
      customToken(SECRET, { uid: 'ann', claims: { role: 'editor' } }),
      { ...said, ...way, role: 'editor' },
    ],
    [
      'of Firebase’s token generators',
      customToken(SECRET, { d: { uid: 'ann', a: 1 } }),
      { ...said, ...way, uid: 'ann', a: 1 },
    ],
    [
      'of an administrator',
      customToken(SECRET, { uid: 'ann', admin: true }),
      { ...said, ...way, dhole: { admin: true } },
    ],
    [
      'with a claim named admin',
      customToken(SECRET, { uid: 'ann', claims: { admin: true } }),
      { ...said, ...way, admin: true },
    ],
    ['of a service account', ticket({ claims: { admin: true } }), { ...said, ...way, admin: true }],
    ['of its former key', ticket({}, former), { ...said, ...way }],
    ['in its form, of the secret', ownTicket({ claims: { a: [1] } }), { ...said, ...way, a: [1] }],
  ])('%s', async (_, token, expected) => {
    const { idToken } = await signIn(token)
    const payload = payloadOf(idToken)
    expect(withoutTime(payload)).toEqual(expected as never)
    expect(Number(payload['exp']) - Number(payload['iat'])).toBe(3600)
    const isAdmin = 'dhole' in expected
    for (const [path, status] of [
      ['/own/ann', 200],
      ['/own/bob', isAdmin ? 200 : 401],
      ['/', isAdmin ? 200 : 401],
    ] as const) {
      expect(await server.call('GET', `${path}.json?ns=app&auth=${idToken}`)).toMatchObject({ status })
    }
  })

  test('the user is who the token says', async () => {
    const { idToken } = await signIn(ticket())
    const at = `${Number(payloadOf(idToken)['auth_time']) * 1000}`
    const users = [{ localId: 'ann', customAuth: true, createdAt: at, lastLoginAt: at }]
    const json = { kind: 'identitytoolkit#GetAccountInfoResponse', users }
    expect(await post(`${LOOKUP}?key=app`, { idToken })).toEqual({ status: 200, json })
  })

  test.each(['form', 'json', 'jsonOfPhones'])('a refresh token in %s brings another ID token', async (form) => {
    const { refreshToken, idToken } = await signIn(ticket({ claims: { role: 'editor' } }))
    const bodies: Record<string, string> = {
      form: `grant_type=refresh_token&refresh_token=${refreshToken}`,
      json: JSON.stringify({ grant_type: 'refresh_token', refresh_token: refreshToken }),
      jsonOfPhones: JSON.stringify({ grantType: 'refresh_token', refreshToken }),
    }
    const { status, json } = await post(`${TOKEN}?key=app`, bodies[form] ?? '')
    const { access_token, id_token, ...rest } = json
    expect(status).toBe(200)
    const user = { user_id: 'ann', project_id: 'app' }
    expect(rest).toEqual({ expires_in: '3600', token_type: 'Bearer', refresh_token: refreshToken, ...user })
    expect(id_token).toBe(access_token as string)
    expect(withoutTime(payloadOf(id_token))).toEqual(withoutTime(payloadOf(idToken)) as never)
    expect(payloadOf(id_token)['auth_time']).toBe(payloadOf(idToken)['auth_time'] as number)
  })

  test('another process accepts its tokens', async () => {
    const { refreshToken, idToken } = await signIn(customToken(SECRET, { uid: 'ann' }))
    expect(await refresh(refreshToken, 'app', second)).toMatchObject({ status: 200 })
    expect(await second.call('GET', `/own/ann.json?ns=app&auth=${idToken}`)).toMatchObject({ status: 200 })
  })

  test.each([
    ['key', 'localhost', 'key=app'],
    ['ns', 'localhost', 'key=AIzaSyD&ns=app'],
    ['host', 'app.db.localhost', 'key=AIzaSyD'],
  ])('the application is named by its %s', async (_, host, query) => {
    const request = { body: JSON.stringify({ token: ticket() }), headers: { Host: host } }
    const answer = await server.call('POST', `${SIGN_IN}?${query}`, request)
    expect(payloadOf(JSON.parse(answer.text).idToken)).toMatchObject({ aud: 'app' })
  })
})

describe('tokens of one application are not accepted', () => {
  test('by another one', async () => {
    const { idToken, refreshToken } = await signIn(ticket())
    const mismatched = { status: 400, json: { error: { code: 400 } } }
    expect(await post(`${SIGN_IN}?key=other`, { token: ticket() })).toMatchObject(mismatched)
    expect(await post(`${SIGN_IN}?key=other`, { token: customToken(SECRET, { uid: 'ann' }) })).toMatchObject(mismatched)
    expect(await post(`${LOOKUP}?key=other`, { idToken })).toMatchObject(mismatched)
    expect(await refresh(refreshToken, 'other')).toMatchObject(mismatched)
    expect(await server.call('GET', `/own/ann.json?ns=other&auth=${idToken}`)).toMatchObject({ status: 401 })
  })

  test('for another purpose', async () => {
    const custom = customToken(SECRET, { uid: 'ann' })
    const { idToken, refreshToken } = await signIn(custom)
    for (const token of [idToken, refreshToken, SECRET]) {
      expect(await post(`${SIGN_IN}?key=app`, { token })).toMatchObject({ status: 400 })
    }
    for (const token of [custom, refreshToken, SECRET]) {
      expect(await post(`${LOOKUP}?key=app`, { idToken: token })).toMatchObject({ status: 400 })
    }
    for (const token of [custom, idToken, SECRET]) expect(await refresh(token)).toMatchObject({ status: 400 })
    for (const token of [refreshToken, ticket(), ownTicket()]) {
      expect(await server.call('GET', `/own/ann.json?ns=app&auth=${token}`)).toMatchObject({ status: 401 })
    }
  })
})

const FORM =
  'It is no token of three parts in base64url, or its signature is not of the super secret of this application.'
const CLAIMS = 'Claims are missing'

describe('what is wrong is said as Google says it', () => {
  test.each([
    ['no token', {}, 'MISSING_CUSTOM_TOKEN'],
    ['null', { token: null }, 'MISSING_CUSTOM_TOKEN'],
    ['a number', { token: 1 }, `INVALID_CUSTOM_TOKEN : ${FORM}`],
    ['text', { token: 'text' }, `INVALID_CUSTOM_TOKEN : ${FORM}`],
    ['a name of a prototype', { __proto__: null, constructor: 1 }, 'MISSING_CUSTOM_TOKEN'],
    ['another secret', { token: customToken(OTHER_SECRET, { uid: 'ann' }) }, `INVALID_CUSTOM_TOKEN : ${FORM}`],
    ['another service account', { token: ticket({}, stranger) }, `INVALID_CUSTOM_TOKEN : ${FORM}`],
    ['no signature', { token: unsigned() }, 'INVALID_CUSTOM_TOKEN : It has another algorithm'],
    ['an end that has passed', { token: ticket({ iat: 1, exp: 2 }) }, 'INVALID_CUSTOM_TOKEN : It has expired.'],
    [
      'its end after a year',
      { token: ticket({ exp: nowInSeconds() + 31536000 }) },
      'INVALID_CUSTOM_TOKEN : Custom tokens have',
    ],
    ['no end', { token: ticket({ exp: undefined }) }, 'INVALID_CUSTOM_TOKEN : Custom tokens have'],
    ['a later beginning', { token: ticket({ iat: nowInSeconds() + 60 }) }, 'INVALID_CUSTOM_TOKEN : It has another'],
    [
      'another audience',
      { token: ticket({ aud: 'https://oauth2.googleapis.com/token' }) },
      'INVALID_CUSTOM_TOKEN : It has another',
    ],
    ['a tenant', { token: ticket({ tenant_id: 'a' }) }, 'INVALID_CUSTOM_TOKEN : There are no tenants'],
    ['no user', { token: ticket({ uid: undefined }) }, `INVALID_CUSTOM_TOKEN : ${CLAIMS}`],
    ['a user of 257 characters', { token: ticket({ uid: 'a'.repeat(257) }) }, `INVALID_CUSTOM_TOKEN : ${CLAIMS}`],
    ['claims that are a list', { token: ticket({ claims: [] }) }, `INVALID_CUSTOM_TOKEN : ${CLAIMS}`],
    ['a reserved claim', { token: ticket({ claims: { sub: 'bob' } }) }, 'INVALID_CUSTOM_TOKEN : The claim sub'],
    [
      'a grant among claims',
      { token: ticket({ claims: { dhole: { admin: true } } }) },
      'INVALID_CUSTOM_TOKEN : The claim dhole',
    ],
    [
      'a form of the secret, by a service account',
      { token: ticket({ v: 1, admin: true, aud: 'app' }) },
      'INVALID_CUSTOM_TOKEN : It has another',
    ],
    [
      'an administrator without a user',
      { token: customToken(SECRET, { admin: true }) },
      'INVALID_CUSTOM_TOKEN : A token without a user',
    ],
    ['no object', '[]', 'INVALID_REQUEST : Invalid data'],
    ['no JSON', '{', 'INVALID_REQUEST : Invalid data'],
    ['no body', '', 'INVALID_REQUEST : Error: No data supplied.'],
    ['a long body', JSON.stringify({ token: 'a'.repeat(70_000) }), 'INVALID_REQUEST : Data to write exceeds'],
  ])('a sign-in with %s', async (_, body, message) => {
    const { status, json } = await post(`${SIGN_IN}?key=app`, body as Json)
    const { error } = json as { readonly error: { readonly message: string; readonly code: number } }
    expect(status).toBe(400)
    expect(error).toMatchObject({ code: 400, errors: [{ message: error.message, domain: 'global' }] })
    expect(error.message).toStartWith(message)
  })

  test.each([
    ['a lookup', LOOKUP, '{}', 400, 'MISSING_ID_TOKEN'],
    ['a lookup', LOOKUP, '{"idToken":"a"}', 400, `INVALID_ID_TOKEN : ${FORM}`],
    ['a refresh', TOKEN, 'grant_type=refresh_token', 400, 'MISSING_REFRESH_TOKEN'],
    ['a refresh', TOKEN, 'refresh_token=a', 400, `TOKEN_EXPIRED : ${FORM}`],
    ['a refresh', TOKEN, '{"refresh_token":1}', 400, `TOKEN_EXPIRED : ${FORM}`],
    [
      'a password',
      '/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword',
      '{}',
      400,
      'OPERATION_NOT_ALLOWED',
    ],
    ['an emulator', '/emulator/v1/projects/app/accounts', '{}', 400, 'OPERATION_NOT_ALLOWED'],
  ])('%s at %s with %s', async (_, path, body, code, message) => {
    const { status, json } = await post(`${path}?key=app`, body)
    expect(status).toBe(code)
    expect((json['error'] as { readonly message: string }).message).toStartWith(message)
  })

  test.each([
    ['an unknown application', `${SIGN_IN}?key=nowhere`, 404, 'INVALID_API_KEY : there is no application'],
    ['no application', `${SIGN_IN}?key=AIzaSyD`, 417, 'INVALID_API_KEY : there are several'],
  ])('%s', async (_, target, status, message) => {
    const answer = await post(target, { token: ticket() })
    expect(answer.status).toBe(status)
    expect((answer.json['error'] as { readonly message: string }).message).toStartWith(message)
  })

  test('another method', async () => {
    const { status, headers, text } = await server.call('GET', `${SIGN_IN}?key=app`)
    expect({ status, allow: headers.get('allow') }).toEqual({ status: 405, allow: 'POST, OPTIONS' })
    expect(JSON.parse(text)).toMatchObject({ error: { code: 405, message: 'INVALID_REQUEST : Method not allowed' } })
  })
})

test('pages may send what the SDK sends', async () => {
  const { status, headers } = await server.call('OPTIONS', `${SIGN_IN}?key=app`, {
    headers: { Origin: 'https://page.example.org', 'Access-Control-Request-Method': 'POST' },
  })
  expect(status).toBe(204)
  expect(headers.get('access-control-allow-origin')).toBe('*')
  const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
  const sent = [
    'content-type',
    'x-client-version',
    'x-firebase-gmpid',
    'x-firebase-client',
    'x-firebase-locale',
    'x-firebase-appcheck',
  ]
  expect(sent.filter((name) => !allowed?.includes(name))).toEqual([])
})
