import { describe, expect, test } from 'bun:test'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { MAX_TOKEN_LENGTH } from '../../../src/auth/signature.ts'
import {
  APPLICATION,
  authenticator,
  base64url,
  failureOf,
  firebase,
  HEADER,
  NOW,
  NOWHERE,
  OTHER_SECRET,
  SECRET,
  token,
  wilddog,
} from './hand-made.ts'

const good = token(wilddog())
const [goodHeader = '', goodPayload = '', goodSignature = ''] = good.split('.')

const unsigned = (alg: unknown) => `${base64url(JSON.stringify({ typ: 'JWT', alg }))}.${goodPayload}.`

const rs256 = () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const signed = `${base64url(JSON.stringify({ ...HEADER, alg: 'RS256' }))}.${goodPayload}`
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
}

/** A payload whose token has exactly so many characters. */
const ofLength = (length: number): string => {
  for (let padding = 0; padding < length; padding++) {
    const text = token(wilddog({ claims: { padding: 'x'.repeat(padding) } }))
    if (text.length === length) return text
    if (text.length > length) break
    padding += Math.max(0, Math.floor(((length - text.length) * 3) / 4) - 8)
  }
  throw new Error(`no token of ${length} characters`)
}

const nested = (depth: number) => wilddog({ claims: JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) })

describe('other algorithms and headers', () => {
  test.each([
    ...[undefined, null, '', 'none', 'None', 'NONE', 'nOnE', 'hs256', 'HS256 ', ['HS256'], { HS256: 1 }, 0].map(
      (alg) => [`alg ${JSON.stringify(alg)}, no signature`, unsigned(alg), 'token-refused'],
    ),
    ['none, signed', token(wilddog(), { alg: 'none' }), 'token-refused'],
    ['RS256', rs256(), 'token-refused'],
    ['RS256 in name, the secret as key', token(wilddog(), { ...HEADER, alg: 'RS256' }), 'token-refused'],
    ['HS384', token(wilddog(), { ...HEADER, alg: 'HS384' }, { hash: 'sha384' }), 'token-refused'],
    ['HS512', token(wilddog(), { ...HEADER, alg: 'HS512' }, { hash: 'sha512' }), 'token-refused'],
    ['HS512 under the name of HS256', token(wilddog(), HEADER, { hash: 'sha512' }), 'bad-token'],
    ['HS256, no signature', unsigned('HS256'), 'bad-token'],
    ['another type', token(wilddog(), { alg: 'HS256', typ: 'JWE' }), 'token-refused'],
    ['a type of null', token(wilddog(), { alg: 'HS256', typ: null }), 'token-refused'],
    ['crit', token(wilddog(), { ...HEADER, crit: ['exp'], exp: 1 }), 'token-refused'],
    ['crit, empty', token(wilddog(), { ...HEADER, crit: [] }), 'token-refused'],
    ['a payload that is not encoded', token(wilddog(), { ...HEADER, b64: false, crit: ['b64'] }), 'token-refused'],
    ['b64 without crit', token(wilddog(), { ...HEADER, b64: true }), 'token-refused'],
    ['a type in small letters', token(wilddog(), { ...HEADER, typ: 'jwt' }), 'token-refused'],
    ['the algorithm twice', token(wilddog(), '{"alg":"none","typ":"JWT","alg":"HS256"}'), 'token-payload'],
    ['the algorithm twice, once in escapes', token(wilddog(), '{"alg":"HS256","\\u0061lg":"HS256"}'), 'token-payload'],
    ['the algorithm of a prototype', token(wilddog(), '{"__proto__":{"alg":"HS256"}}'), 'token-refused'],
    ['a header that is a list', token(wilddog(), '[]'), 'bad-token'],
    ['a header that is null', token(wilddog(), 'null'), 'bad-token'],
    ['a header with a comment', token(wilddog(), '{"alg":"HS256"/**/}'), 'bad-token'],
    ['a header with a last comma', token(wilddog(), '{"alg":"HS256",}'), 'bad-token'],
    ['a header with a byte order mark', token(wilddog(), '\uFEFF{"alg":"HS256"}'), 'bad-token'],
    [
      'a header deeper than any tree',
      token(wilddog(), `{"alg":"HS256","x":${'['.repeat(5000)}${']'.repeat(5000)}}`),
      'token-payload',
    ],
  ])('%s', async (_, text, code) => {
    expect(await failureOf(() => authenticator().authenticate(text as string, NOWHERE))).toBe(code)
  })

  test('names and places of keys are never looked at', async () => {
    const attacker = { kty: 'oct', k: base64url(OTHER_SECRET) }
    const header = {
      ...HEADER,
      kid: '../../dev/null',
      jku: 'https://127.0.0.1:1/keys',
      x5u: 'file:///etc/passwd',
      jwk: attacker,
    }
    expect(await authenticator().authenticate(token(wilddog(), header), NOWHERE)).toMatchObject({ kind: 'user' })
    const forged = token(wilddog(), header, { secret: OTHER_SECRET })
    expect(await failureOf(() => authenticator().authenticate(forged, NOWHERE))).toBe('bad-token')
  })
})

describe('forged and broken text', () => {
  test.each([
    ['nothing', ''],
    ['words', 'let me in'],
    ['the secret with a space', `${SECRET} `],
    ['the beginning of the secret', SECRET.slice(0, -1)],
    ['the secret twice', SECRET + SECRET],
    ['the secret in capitals', SECRET.toUpperCase()],
    ['owner', 'owner'],
    ['dots', '..'],
    ['many dots', '.'.repeat(10_000)],
    ['two parts', `${goodHeader}.${goodPayload}`],
    ['four parts', `${good}.`],
    ['five parts, as encrypted tokens have', `${goodHeader}..${goodPayload}.${goodSignature}.${goodSignature}`],
    ['a space before', ` ${good}`],
    ['a line feed after', `${good}\n`],
    ['padding', `${goodHeader}=.${goodPayload}.${goodSignature}`],
    ['padding of the signature', `${good}=`],
    ['the other alphabet', good.replaceAll('_', '/').replaceAll('-', '+').replace(goodSignature, '+/'.repeat(21))],
    ['one character less', good.slice(0, -1)],
    ['half of it', good.slice(0, good.length / 2)],
    ['no payload', `${goodHeader}..${goodSignature}`],
    ['a letter of another script', good.replace('e', 'е')],
    ['zero bytes', '\0'.repeat(50)],
    ['half a character', '\ud800'],
    ['JSON form', JSON.stringify({ protected: goodHeader, payload: goodPayload, signature: goodSignature })],
    [
      'another payload under the signature',
      `${goodHeader}.${base64url(JSON.stringify(wilddog({ uid: 'bob' })))}.${goodSignature}`,
    ],
    ['no JSON under the signature', `${goodHeader}.${base64url('{"v":1')}.${goodSignature}`],
    ['bits left over in the signature', `${good.slice(0, -1)}${nextLetter(good.at(-1))}`],
    ['the secret of another application', token(wilddog(), HEADER, { secret: OTHER_SECRET })],
    ['an empty secret', token(wilddog(), HEADER, { secret: '' })],
    [
      'the digest of the secret as key',
      token(wilddog(), HEADER, { secret: new Bun.CryptoHasher('sha256').update(SECRET).digest() }),
    ],
    ['the secret decoded', token(wilddog(), HEADER, { secret: Buffer.from(SECRET, 'base64') })],
    [
      'a custom token that says it is an ID token',
      token({ ...wilddog(), iss: 'dhole', aud: APPLICATION, exp: NOW + 60, claims: {} }),
    ],
    ['16 KiB and a character', ofLength(MAX_TOKEN_LENGTH + 1)],
    ['a megabyte', `${goodHeader}.${'A'.repeat(1024 * 1024)}.${goodSignature}`],
  ])('%s', async (_, text) => {
    expect(await failureOf(() => authenticator().authenticate(text, NOWHERE))).toBe('bad-token')
  })

  test('16 KiB are taken', async () => {
    expect(await authenticator().authenticate(ofLength(MAX_TOKEN_LENGTH), NOWHERE)).toMatchObject({ kind: 'user' })
  })

  test('no bit of a token can be turned', async () => {
    const subject = authenticator()
    for (let at = 0; at < good.length; at++) {
      const turned = good.slice(0, at) + nextLetter(good[at]) + good.slice(at + 1)
      const outcome = await failureOf(() => subject.authenticate(turned, NOWHERE))
      expect(['bad-token', 'token-refused', 'token-payload']).toContain(outcome as string)
    }
  })
})

describe('payloads that are signed and no clear JSON object', () => {
  const members = `"v":1,"uid":"ann","iat":${NOW}`
  test.each([
    ['a list', '[1]'],
    ['null', 'null'],
    ['text', '"ann"'],
    ['no JSON', '{"v":1'],
    ['a comment', `{${members}/* */}`],
    ['a last comma', `{${members},}`],
    ['two objects', `{${members}}{${members}}`],
    ['bytes that are no text', Buffer.from([0x7b, 0xff, 0x7d])],
    ['a claim that is no text', Buffer.from(`{${members},"claims":{"a":"\xff"}}`, 'latin1')],
    ['a byte order mark', `\uFEFF{${members}}`],
    ['uid twice', `{${members},"uid":"bob"}`],
    ['uid twice, once in escapes', `{${members},"\\u0075id":"bob"}`],
    ['admin twice', `{${members},"admin":false,"admin":true}`],
    ['a claim twice', `{${members},"claims":{"role":"a","role":"b"}}`],
    ['a claim twice in a list', `{${members},"claims":{"list":[{"a":1},{"a":1,"a":2}]}}`],
    ['__proto__ twice', `{${members},"claims":{"__proto__":{},"__proto__":{}}}`],
    ['objects deeper than any tree', JSON.stringify(nested(32))],
    ['lists without end', `{${members},"claims":{"a":${'['.repeat(5000)}${']'.repeat(5000)}}}`],
  ])('%s', async (_, payload) => {
    expect(await failureOf(() => authenticator().authenticate(token(payload), NOWHERE))).toBe('token-payload')
  })

  test('names may stand in two objects, and objects nest as deeply as trees', async () => {
    const payload = `{${members},"claims":{"uid":1,"a":{"uid":2},"b":[{"uid":3},{"uid":4}]}}`
    expect(await authenticator().authenticate(token(payload), NOWHERE)).toMatchObject({ kind: 'user' })
    expect(await authenticator().authenticate(token(nested(30)), NOWHERE)).toMatchObject({ kind: 'user' })
  })
})

test('whatever is sent or signed, the answer is a caller or a failure of the list', async () => {
  const subject = authenticator()
  const parts = fc.oneof(fc.string(), fc.json(), fc.json().map(base64url), fc.base64String())
  const signed = fc.record({
    v: fc.oneof(fc.constantFrom(0, 1), fc.jsonValue()),
    uid: fc.jsonValue(),
    d: fc.jsonValue(),
  })
  const times = fc.record({ iat: fc.jsonValue(), exp: fc.jsonValue() }, { requiredKeys: [] })
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.tuple(parts, parts, parts).map((three) => three.join('.')),
    fc.tuple(signed, times).map(([claims, rest]) => token({ iat: NOW, ...claims, ...rest })),
    fc.tuple(fc.json(), fc.json()).map(([payload, header]) => token(payload, header)),
  )
  await fc.assert(
    fc.asyncProperty(anything, async (text) => {
      await failureOf(() => subject.authenticate(text, NOWHERE))
      await failureOf(() => subject.exchange(text, NOWHERE))
    }),
    { numRuns: 500 },
  )
})

describe('the secret', () => {
  test('is an admin, at once', () => {
    expect(authenticator().authenticate(SECRET, NOWHERE)).toEqual({ kind: 'admin', auth: null })
  })

  test('may be any text', () => {
    for (const secret of ['a', 'é中😀', 'a.b.c', good, 'x'.repeat(5000)]) {
      expect(authenticator({ secret }).authenticate(secret, NOWHERE)).toEqual({ kind: 'admin', auth: null })
    }
  })

  test('may not be empty', () => {
    expect(() => authenticator({ secret: '' })).toThrow(TypeError)
    expect(() => authenticator().rotate('')).toThrow(TypeError)
  })

  test('signs tokens also when it is short', async () => {
    const text = token(firebase(), HEADER, { secret: 'short' })
    expect(await authenticator({ secret: 'short' }).authenticate(text, NOWHERE)).toMatchObject({ kind: 'user' })
  })

  test('absent is nobody, at once', () => {
    expect(authenticator().authenticate(undefined, NOWHERE)).toEqual({ kind: 'anybody', auth: null })
  })
})

describe('owner', () => {
  const near = { address: '127.0.0.1', isBearer: true, isLoopback: true }

  test('is an admin in development', () => {
    expect(authenticator({ development: true }).authenticate('owner', near)).toEqual({ kind: 'admin', auth: null })
  })

  test.each([
    ['without the mode', false, near],
    ['in the URL', true, { ...near, isBearer: false }],
    ['from afar', true, { ...near, isLoopback: false }],
    ['from where nobody knows', true, { address: '127.0.0.1', isBearer: true }],
  ])('is a bad token %s', async (_, development, origin) => {
    expect(await failureOf(() => authenticator({ development }).authenticate('owner', origin))).toBe('bad-token')
  })
})

test('a key that is derived with the same label is not the one of custom tokens', async () => {
  const derived = createHmac('sha256', SECRET).update('dhole id token key 1').digest()
  const text = token(wilddog(), HEADER, { secret: derived })
  expect(await failureOf(() => authenticator().authenticate(text, NOWHERE))).toBe('bad-token')
})

/** Another character of the alphabet. */
function nextLetter(letter = 'A'): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet[(alphabet.indexOf(letter) + 1) % alphabet.length]!
}
