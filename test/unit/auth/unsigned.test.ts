import { describe, expect, test } from 'bun:test'
import type { CredentialOrigin } from '../../../src/auth/authenticator.ts'
import { unsignedToken } from '../../support/service-account.ts'
import { authenticator, failureOf, NOWHERE, token, wilddog } from './hand-made.ts'

const HERE: CredentialOrigin = { ...NOWHERE, isLoopback: true }
/** As SDKs make it of `mockUserToken`: it has expired long ago. */
const MADE_UP = { iss: 'https://securetoken.google.com/demo', aud: 'demo', iat: 0, exp: 3600, auth_time: 0, sub: 'ann' }

const inDevelopment = (text: string, origin = HERE) => authenticator({ development: true }).authenticate(text, origin)

describe('a token without a signature', () => {
  test('is a user in development, from this machine', async () => {
    const { kind, auth, expiresAt } = await inDevelopment(unsignedToken({ ...MADE_UP, role: 'editor' }))
    expect({ kind, expiresAt }).toEqual({ kind: 'user', expiresAt: undefined })
    expect(auth).toMatchObject({ uid: 'ann', provider: 'custom', token: { sub: 'ann', role: 'editor' } })
  })

  test.each([
    ['a name in another member', { sub: undefined, user_id: 'ann' }],
    ['a claim that makes administrators elsewhere', { dhole: { admin: true } }],
    ['claims of custom tokens', { admin: true, debug: true, v: 1 }],
  ])('with %s is no more than that', async (_, changes) => {
    const { kind, auth, debug } = await inDevelopment(unsignedToken({ ...MADE_UP, ...changes }))
    expect({ kind, uid: auth?.['uid'], debug }).toEqual({ kind: 'user', uid: 'ann', debug: undefined })
    expect(auth?.['token']).not.toHaveProperty('dhole')
  })

  test.each([
    ['without the mode', false, HERE, MADE_UP, 'token-refused'],
    ['from elsewhere', true, { ...HERE, isLoopback: false }, MADE_UP, 'token-refused'],
    ['from where nobody knows', true, NOWHERE, MADE_UP, 'token-refused'],
    ['without a user', true, HERE, { ...MADE_UP, sub: undefined }, 'token-payload'],
    ['with a user that is no text', true, HERE, { ...MADE_UP, sub: 7 }, 'token-payload'],
    ['with a user of 257 characters', true, HERE, { ...MADE_UP, sub: 'a'.repeat(257) }, 'token-payload'],
  ] as const)('is refused %s', async (_, development, origin, payload, code) => {
    const subject = authenticator({ development })
    expect(await failureOf(() => subject.authenticate(unsignedToken(payload), origin))).toBe(code)
  })

  test('is no token to exchange, to look up or to refresh with', async () => {
    const subject = authenticator({ development: true })
    const text = unsignedToken(MADE_UP)
    await subject.authenticate(text, HERE)
    for (const use of ['exchange', 'account', 'refresh', 'signIn'] as const) {
      expect(await failureOf((): Promise<unknown> => subject[use](text, HERE))).toStartWith('token-')
    }
  })
})

test.each([
  ['has lost it', token(wilddog()).replace(/[^.]*$/, ''), 'token-refused'],
  ['says so, but has one', `${unsignedToken(MADE_UP)}AAAA`, 'token-refused'],
  ['is broken', 'a.b.', 'bad-token'],
])('a token that had a signature and %s is refused in development too', async (_, text, code) => {
  expect(await failureOf(() => inDevelopment(text))).toBe(code)
})
