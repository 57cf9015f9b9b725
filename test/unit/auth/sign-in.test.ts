import { describe, expect, test } from 'bun:test'
import { generate } from 'selfsigned'
import type { CredentialOrigin } from '../../../src/auth/authenticator.ts'
import { publicKeysOf, readServiceKeys } from '../../../src/auth/sign-in/service-account.ts'
import { serviceAccount, signedByAccount, ticketPayload, unsignedToken } from '../../support/service-account.ts'
import { sharedCertificate } from '../../support/shared-certificate.ts'
import { authenticator, DAY, failureOf, NOW, NOWHERE, OTHER_SECRET, payloadOf, token, wilddog } from './hand-made.ts'

const account = serviceAccount()
const serviceKeys = readServiceKeys(account.publicKey)
const HERE: CredentialOrigin = { ...NOWHERE, isLoopback: true }

/** An authenticator whose time the test says, in seconds from the usual one. */
function atTime() {
  let seconds = 0
  const subject = authenticator({ serviceKeys, now: () => (NOW + seconds) * 1000 })
  return { subject, setTime: (later: number) => (seconds = later) }
}

const ticket = (changes: object = {}) => signedByAccount(ticketPayload(changes, NOW), account)

describe('a sign-in ends', () => {
  test.each([
    ['thirty days after it began', ticket(), 30 * DAY],
    ['with the custom token where that is a credential', token(wilddog({ exp: NOW + 9 * DAY })), 9 * DAY],
    ['a day after such a token was issued that does not say when', token(wilddog({ iat: NOW })), DAY],
    ['thirty days after it began, also where such a token lives longer', token(wilddog({ exp: 1e12 })), 30 * DAY],
  ])('%s', async (_, custom, end) => {
    const { subject, setTime } = atTime()
    const { refreshToken } = await subject.signIn(custom, NOWHERE)
    setTime(end - 60)
    const { idToken, refreshToken: next } = await subject.refresh(refreshToken, NOWHERE)
    expect(payloadOf(idToken)).toMatchObject({ auth_time: NOW, iat: NOW + end - 60, exp: NOW + end })
    setTime(end)
    for (const last of [refreshToken, next]) {
      expect(await failureOf(() => subject.refresh(last, NOWHERE))).toBe('token-expired')
    }
    expect(await failureOf(() => subject.authenticate(idToken, NOWHERE))).toBe('token-expired')
    expect(await failureOf(() => subject.account(idToken, NOWHERE))).toBe('token-expired')
  })

  test('when the secret is replaced', async () => {
    const { subject } = atTime()
    const { idToken, refreshToken } = await subject.signIn(ticket(), NOWHERE)
    subject.rotate(OTHER_SECRET)
    expect(await failureOf(() => subject.authenticate(idToken, NOWHERE))).toBe('bad-token')
    expect(await failureOf(() => subject.account(idToken, NOWHERE))).toBe('bad-token')
    expect(await failureOf(() => subject.refresh(refreshToken, NOWHERE))).toBe('bad-token')
  })
})

test('a sign-in during which the secret is replaced has tokens of the new one', async () => {
  const { subject } = atTime()
  const signing = subject.signIn(ticket(), NOWHERE)
  subject.rotate(OTHER_SECRET)
  const { idToken } = await signing
  expect(await subject.authenticate(idToken, NOWHERE)).toMatchObject({ kind: 'user', auth: { uid: 'ann' } })
})

test('an application of the same secret does not accept its tokens', async () => {
  const { idToken, refreshToken } = await atTime().subject.signIn(ticket(), NOWHERE)
  const other = authenticator({ application: 'other' })
  expect(await failureOf(() => other.refresh(refreshToken, NOWHERE))).toBe('token-refused')
  expect(await failureOf(() => other.account(idToken, NOWHERE))).toBe('token-refused')
  expect(await failureOf(() => other.authenticate(idToken, NOWHERE))).toBe('token-refused')
})

test('an ID token of the exchange signs in nobody, and has no account', async () => {
  const { subject } = atTime()
  const { idToken } = await subject.exchange(token(wilddog()), NOWHERE)
  expect(await failureOf(() => subject.signIn(idToken, NOWHERE))).toBe('bad-token')
  expect(await failureOf(() => subject.account(idToken, NOWHERE))).toBe('bad-token')
})

test('what an ID token grants is no claim', async () => {
  const { subject } = atTime()
  const custom = token(wilddog({ admin: true, debug: true, claims: { debug: 'a claim' } }))
  const { refreshToken } = await subject.signIn(custom, NOWHERE)
  const { idToken } = await subject.refresh(refreshToken, NOWHERE)
  const caller = await subject.authenticate(idToken, NOWHERE)
  expect(caller).toMatchObject({ kind: 'admin', debug: true, auth: { token: { debug: 'a claim' } } })
  expect(caller.auth?.['token']).not.toHaveProperty('dhole')
})

describe('a custom token without a signature', () => {
  const custom = unsignedToken(ticketPayload({}, NOW))

  test('signs in from this machine in development', async () => {
    const { uid } = await authenticator({ development: true }).signIn(custom, HERE)
    expect(uid).toBe('ann')
  })

  test.each([
    ['in development from elsewhere', true, NOWHERE, custom, 'token-refused'],
    ['without development', false, HERE, custom, 'token-refused'],
    ['that has one', true, HERE, `${custom}AAAA`, 'bad-token'],
    ['that says it is an administrator’s', true, HERE, unsignedToken(wilddog({ admin: true })), 'token-payload'],
    ['that says it is an ID token', true, HERE, unsignedToken({ ...wilddog(), iss: 'dhole' }), 'token-payload'],
  ])('is refused %s', async (_, development, origin, text, code) => {
    expect(await failureOf(() => authenticator({ development }).signIn(text, origin))).toBe(code)
  })
})

describe('keys of service accounts', () => {
  const json = (members: object) => JSON.stringify(members)
  const pem = account.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

  test.each([
    ['the file of a private key', () => json({ type: 'service_account', private_key: pem, client_email: 'a@b' }), 1],
    ['a list of certificates', async () => json({ a: (await generate()).cert, b: account.publicKey }), 2],
    ['PEM text', () => `${account.publicKey}\n${serviceAccount().publicKey}`, 2],
  ])('are read from %s', async (_, text, count) => {
    const publicKeys = publicKeysOf(await text())
    expect(publicKeys).not.toContain('PRIVATE')
    expect(readServiceKeys(publicKeys)).toHaveLength(count)
  })

  test('are RSA keys', async () => {
    const { cert } = await sharedCertificate()
    expect(() => publicKeysOf(cert)).toThrow(new TypeError('expected an RSA key'))
  })

  test.each([
    ['text', 'a key', 'expected a public key or a certificate as PEM text'],
    ['a private key', pem, 'expected a public key or a certificate, not PRIVATE KEY'],
    ['JSON without a key', json({ a: 1 }), 'expected a public key or a certificate as PEM text'],
    ['a private key that is none', json({ private_key: 'a' }), 'the private_key cannot be read'],
    ['a damaged key', account.publicKey.replace(/^M.*$/m, 'AAAA'), 'the PUBLIC KEY cannot be read'],
    ['a short key', serviceAccount(1024).publicKey, 'expected an RSA key of 2048 bits or more, not 1024'],
    ['nine keys', account.publicKey.repeat(9), 'expected at most 8 keys'],
  ])('are not %s', (_, text, message) => {
    expect(() => publicKeysOf(text)).toThrow(new TypeError(message))
  })
})
