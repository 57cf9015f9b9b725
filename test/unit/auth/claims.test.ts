import { describe, expect, test } from 'bun:test'
import { authenticator, DAY, failureOf, firebase, NOW, NOWHERE, SECRET, token, wilddog } from './hand-made.ts'

/** What rules see of a user without anything else. */
const ann = { uid: 'ann', provider: 'custom', token: {} }
const later = (seconds: number) => (NOW + seconds) * 1000

describe('tokens that are taken', () => {
  test.each([
    ['Wilddog, least', wilddog(), { kind: 'user', auth: ann, expiresAt: later(DAY - 10) }],
    ['Wilddog, null claims', wilddog({ claims: null, exp: NOW + 1 }), { kind: 'user', auth: ann, expiresAt: later(1) }],
    [
      'Wilddog, claims',
      wilddog({ claims: { role: 'keeper', deep: { a: [1] } }, exp: NOW + 60 }),
      { kind: 'user', auth: { ...ann, token: { role: 'keeper', deep: { a: [1] } } }, expiresAt: later(60) },
    ],
    [
      'Wilddog, 64 characters',
      wilddog({ uid: `${'aZ09-'.repeat(12)}abcd`, exp: NOW + 60 }),
      { kind: 'user', auth: { ...ann, uid: `${'aZ09-'.repeat(12)}abcd` }, expiresAt: later(60) },
    ],
    [
      'Wilddog, members of Firebase mean nothing',
      wilddog({ d: { uid: 'bob' }, sub: 'bob', exp: NOW + 60 }),
      { kind: 'user', auth: ann, expiresAt: later(60) },
    ],
    [
      'Wilddog, good already',
      wilddog({ nbf: NOW - 5, exp: NOW + 60 }),
      { kind: 'user', auth: ann, expiresAt: later(60) },
    ],
    ['Wilddog, 24 hours from iat', wilddog({ nbf: NOW - 5 }), { kind: 'user', auth: ann, expiresAt: later(DAY - 10) }],
    [
      'Wilddog, an admin',
      wilddog({ uid: undefined, admin: true, exp: NOW + 60 }),
      { kind: 'admin', auth: null, expiresAt: later(60) },
    ],
    [
      'Wilddog, an admin with a name',
      wilddog({ admin: true, exp: NOW + 60 }),
      { kind: 'admin', auth: ann, expiresAt: later(60) },
    ],
    [
      'Wilddog, debug',
      wilddog({ debug: true, admin: false, exp: NOW + 60 }),
      { kind: 'user', auth: ann, expiresAt: later(60), debug: true },
    ],
    [
      'Firebase, least',
      firebase(),
      { kind: 'user', auth: { ...ann, token: { uid: 'ann' } }, expiresAt: later(DAY - 10) },
    ],
    [
      'Firebase, 24 hours from nbf',
      firebase({ nbf: NOW - 5 }),
      { kind: 'user', auth: { ...ann, token: { uid: 'ann' } }, expiresAt: later(DAY - 5) },
    ],
    [
      'Firebase, extras on auth itself and in its token',
      firebase({ d: { uid: 'ann', role: 'keeper', provider: 'badge', token: 7 }, exp: NOW + 60 }),
      {
        kind: 'user',
        auth: {
          uid: 'ann',
          role: 'keeper',
          provider: 'badge',
          token: { uid: 'ann', role: 'keeper', provider: 'badge', token: 7 },
        },
        expiresAt: later(60),
      },
    ],
    [
      'Firebase, any text as a name',
      firebase({ d: { uid: 'simple login:1/é' }, exp: NOW + 60 }),
      {
        kind: 'user',
        auth: { uid: 'simple login:1/é', provider: 'custom', token: { uid: 'simple login:1/é' } },
        expiresAt: later(60),
      },
    ],
    [
      'Firebase, an admin',
      firebase({ d: undefined, admin: true, exp: NOW + 60 }),
      { kind: 'admin', auth: null, expiresAt: later(60) },
    ],
    [
      'Firebase, an admin of null',
      firebase({ d: null, admin: true, exp: NOW + 60 }),
      { kind: 'admin', auth: null, expiresAt: later(60) },
    ],
    [
      'Firebase, debug',
      firebase({ debug: true, exp: NOW + 60 }),
      { kind: 'user', auth: { ...ann, token: { uid: 'ann' } }, expiresAt: later(60), debug: true },
    ],
    [
      'issued 5 s from now',
      wilddog({ iat: NOW + 5, exp: NOW + 60 }),
      { kind: 'user', auth: ann, expiresAt: later(60) },
    ],
    ['an end between two seconds', wilddog({ exp: NOW + 0.5 }), { kind: 'user', auth: ann, expiresAt: later(0.5) }],
    [
      'an end beyond all time',
      wilddog({ exp: 1e308 }),
      { kind: 'user', auth: ann, expiresAt: Number.MAX_SAFE_INTEGER },
    ],
    ['for this application', wilddog({ aud: 'zoo', exp: NOW + 60 }), { kind: 'user', auth: ann, expiresAt: later(60) }],
    [
      'for this one too',
      wilddog({ aud: ['farm', 'zoo'], exp: NOW + 60 }),
      { kind: 'user', auth: ann, expiresAt: later(60) },
    ],
    [
      'of a named issuer',
      wilddog({ iss: 'https://login.example', exp: NOW + 60 }),
      { kind: 'user', auth: ann, expiresAt: later(60) },
    ],
  ])('%s', async (_, payload, caller) => {
    expect(await authenticator().authenticate(token(payload), NOWHERE)).toEqual(caller as never)
  })

  test('a header may leave the type out', async () => {
    expect(await authenticator().authenticate(token(wilddog(), { alg: 'HS256' }), NOWHERE)).toMatchObject({ auth: ann })
  })
})

describe('tokens that are refused', () => {
  test.each([
    ['no version', wilddog({ v: undefined }), 'token-payload'],
    ['another version', wilddog({ v: 2 }), 'token-payload'],
    ['a version as text', wilddog({ v: '1' }), 'token-payload'],
    ['no uid', wilddog({ uid: undefined }), 'token-payload'],
    ['an empty uid', wilddog({ uid: '' }), 'token-payload'],
    ['65 characters', wilddog({ uid: 'a'.repeat(65) }), 'token-payload'],
    ['a uid with a line feed', wilddog({ uid: 'ann\n' }), 'token-payload'],
    ['a uid with other letters', wilddog({ uid: 'änn' }), 'token-payload'],
    ['a number as uid', wilddog({ uid: 7 }), 'token-payload'],
    ['null as uid of an admin', wilddog({ uid: null, admin: true }), 'token-payload'],
    ['a bad uid of an admin', wilddog({ uid: 'a b', admin: true }), 'token-payload'],
    ['claims as a list', wilddog({ claims: [] }), 'token-payload'],
    ['claims as text', wilddog({ claims: '{}' }), 'token-payload'],
    ['admin as text', wilddog({ admin: 'true' }), 'token-payload'],
    ['admin as a number', wilddog({ uid: undefined, admin: 1 }), 'token-payload'],
    ['debug as a number', wilddog({ debug: 1 }), 'token-payload'],
    ['Firebase: d missing', firebase({ d: undefined }), 'token-payload'],
    ['Firebase: d null', firebase({ d: null }), 'token-payload'],
    ['Firebase: d a list', firebase({ d: ['ann'] }), 'token-payload'],
    ['Firebase: uid outside d', firebase({ d: {}, uid: 'ann' }), 'token-payload'],
    ['Firebase: an empty uid', firebase({ d: { uid: '' } }), 'token-payload'],
    ['Firebase: 257 characters', firebase({ d: { uid: 'a'.repeat(257) } }), 'token-payload'],
    ['Firebase: admin inside d', firebase({ d: { admin: true } }), 'token-payload'],
    ['Firebase: nbf as text', firebase({ nbf: 'now' }), 'token-payload'],
    ['nbf as text', wilddog({ nbf: 'now' }), 'token-payload'],
    ['no iat', wilddog({ iat: undefined }), 'token-payload'],
    ['iat as text', wilddog({ iat: String(NOW) }), 'token-payload'],
    ['exp as text', wilddog({ exp: String(NOW + 60) }), 'token-payload'],
    ['exp null', wilddog({ exp: null }), 'token-payload'],
    ['exp true', wilddog({ exp: true }), 'token-payload'],
    ['exp as a list', wilddog({ exp: [NOW + 60] }), 'token-payload'],
    ['exp too great for a number', '{"v":1,"uid":"ann","iat":1,"exp":1e999}', 'token-payload'],
    ['iat too small for a number', '{"v":1,"uid":"ann","iat":-1e999}', 'token-payload'],
    ['NaN', '{"v":1,"uid":"ann","iat":1,"exp":NaN}', 'token-payload'],
    ['exp now', wilddog({ exp: NOW }), 'token-expired'],
    ['exp just before', wilddog({ exp: NOW - 0.001 }), 'token-expired'],
    ['exp negative', wilddog({ exp: -1 }), 'token-expired'],
    ['exp zero', wilddog({ exp: 0 }), 'token-expired'],
    ['issued a day ago', wilddog({ iat: NOW - DAY }), 'token-expired'],
    ['Firebase: issued a day ago', firebase({ iat: NOW - DAY }), 'token-expired'],
    ['Firebase: good since a day ago', firebase({ nbf: NOW - DAY }), 'token-expired'],
    ['issued before all time', wilddog({ iat: -1e308 }), 'token-expired'],
    ['issued in 6 s', wilddog({ iat: NOW + 6, exp: NOW + 60 }), 'token-refused'],
    ['issued at the end of time', wilddog({ iat: 1e308 }), 'token-refused'],
    ['good in 6 s', wilddog({ nbf: NOW + 6, exp: NOW + 60 }), 'token-refused'],
    ['an admin, good in 6 s', wilddog({ admin: true, nbf: NOW + 6, exp: NOW + 60 }), 'token-refused'],
    ['Firebase: good in 6 s', firebase({ nbf: NOW + 6 }), 'token-refused'],
    ['Firebase: good already, issued in 6 s', firebase({ nbf: NOW - 60, iat: NOW + 6 }), 'token-refused'],
    ['for another application', wilddog({ aud: 'farm' }), 'token-refused'],
    ['for others', wilddog({ aud: ['farm', 'pond'] }), 'token-refused'],
    ['for a number', wilddog({ aud: 1 }), 'token-refused'],
  ])('%s', async (_, payload, code) => {
    expect(await failureOf(() => authenticator().authenticate(token(payload), NOWHERE))).toBe(code)
  })
})

describe('names from tokens', () => {
  const names = '"__proto__":{"isKeeper":true},"constructor":1,"toString":2,"hasOwnProperty":3'

  test.each([
    ['Wilddog', `{"v":1,"uid":"ann","iat":${NOW},"claims":{${names}}}`],
    ['Firebase', `{"v":0,"d":{"uid":"ann",${names}},"iat":${NOW}}`],
  ])('of prototypes are members like others: %s', async (_, payload) => {
    const { auth } = await authenticator().authenticate(token(payload), NOWHERE)
    const claims = auth?.['token'] as Record<string, unknown>
    expect(Object.keys(claims)).toEqual(
      expect.arrayContaining(['__proto__', 'constructor', 'toString', 'hasOwnProperty']),
    )
    expect(claims['isKeeper']).toBeUndefined()
    expect(Object.getPrototypeOf(claims)).toBeNull()
    expect(auth?.['isKeeper']).toBeUndefined()
    expect(Object.getPrototypeOf(auth)).toBeNull()
    expect(({} as Record<string, unknown>)['isKeeper']).toBeUndefined()
  })

  test('of claims do not stand in for the claims of the token itself', async () => {
    const payload = '{"__proto__":{"admin":true,"exp":99999999999},"v":1,"uid":"ann","iat":0}'
    expect(await failureOf(() => authenticator().authenticate(token(payload), NOWHERE))).toBe('token-expired')
  })

  test('are constant, all the way down', async () => {
    const text = token(wilddog({ claims: { team: { roles: ['keeper'] } } }))
    const { auth } = await authenticator().authenticate(text, NOWHERE)
    const { team } = auth!['token'] as { team: { roles: string[] } }
    expect(() => team.roles.push('owner')).toThrow(TypeError)
    expect(() => Object.assign(auth as object, { uid: 'bob' })).toThrow(TypeError)
  })
})

describe('a caller is constant, all the way down', () => {
  const team = { team: { roles: ['keeper', { of: [['zoo']] }] } }
  const bearer = { ...NOWHERE, isBearer: true, isLoopback: true }
  const development = { development: true }

  test.each([
    ['nobody', undefined, {}],
    ['the secret', SECRET, {}],
    ['owner', 'owner', development],
    ['Wilddog', token(wilddog({ claims: team })), {}],
    ['Firebase', token(firebase({ d: { uid: 'ann', provider: team, ...team } })), {}],
    ['an admin without a user', token(wilddog({ uid: undefined, admin: true, debug: true })), {}],
  ])('%s', async (_, credential, options) => {
    const subject = authenticator(options)
    const first = await subject.authenticate(credential, bearer)
    expect(loose(first)).toEqual([])
    expect(await subject.authenticate(credential, bearer)).toBe(first)
  })

  test('of an ID token', async () => {
    const subject = authenticator()
    const { idToken } = await subject.exchange(token(wilddog({ claims: team })), NOWHERE)
    expect(loose(await subject.authenticate(idToken, NOWHERE))).toEqual([])
  })
})

/** What can be changed in something made of objects and lists. */
function loose(part: unknown): unknown[] {
  if (typeof part !== 'object' || part === null) return []
  const within = Reflect.ownKeys(part).flatMap((key) => loose(Reflect.get(part, key)))
  return Object.isFrozen(part) ? within : [part, ...within]
}
