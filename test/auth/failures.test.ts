import { afterEach, describe, expect, setSystemTime, spyOn, test } from 'bun:test'
import { Failures } from '../../src/auth/failures.ts'
import { networkOf } from '../../src/auth/network.ts'
import { failureOf, gate, HEADER, NOW, OTHER_SECRET, SECRET, token, wilddog } from './hand-made.ts'

const LIMIT = 3
const wrong = token(wilddog(), HEADER, { secret: OTHER_SECRET })
const from = (address: string) => ({ address, isBearer: false })
const here = from('192.0.2.1')

afterEach(() => {
  setSystemTime()
})

/** Shows so many wrong credentials and returns what came of the last. */
async function fail(judge: ReturnType<typeof gate>, times: number, origin = here): Promise<unknown> {
  let outcome: unknown
  for (let time = 0; time < times; time++) outcome = await failureOf(() => judge.identify('wrong', origin))
  return outcome
}

describe('an address that fails too often', () => {
  test.each([
    ['the secret', SECRET],
    ['a good token', token(wilddog())],
    ['a wrong token', wrong],
    ['words', 'wrong'],
  ])('is refused: %s', async (_, credential) => {
    const judge = gate({ failures: new Failures(LIMIT) })
    expect(await fail(judge, LIMIT)).toBe('bad-token')
    expect(await failureOf(() => judge.identify(credential, here))).toBe('too-many-failures')
    expect(await failureOf(() => judge.exchange(credential, here))).toBe('too-many-failures')
  })

  test('is heard without a credential and with a token that was verified before', async () => {
    const judge = gate({ failures: new Failures(LIMIT) })
    const known = token(wilddog())
    await judge.identify(known, here)
    await fail(judge, LIMIT)
    expect(judge.identify(undefined, here)).toMatchObject({ kind: 'anybody' })
    expect(judge.identify(known, here)).toMatchObject({ kind: 'user' })
    expect(await judge.exchange(known, here)).toMatchObject({ expireIn: 3600 })
  })

  test('does not stand for others, nor for those whose address is not known', async () => {
    const judge = gate({ failures: new Failures(LIMIT) })
    await fail(judge, LIMIT)
    expect(judge.identify(SECRET, from('192.0.2.2'))).toMatchObject({ kind: 'admin' })
    expect(judge.identify(SECRET, { address: undefined, isBearer: false })).toMatchObject({ kind: 'admin' })
  })

  test('is refused by every gate that counts together', async () => {
    const failures = new Failures(LIMIT)
    const [zoo, farm] = [gate({ failures }), gate({ failures, application: 'farm' })]
    await fail(zoo, LIMIT - 1)
    await fail(farm, 1)
    expect(await failureOf(() => zoo.identify(SECRET, here))).toBe('too-many-failures')
  })

  test('is heard again when the minute is over', async () => {
    const judge = gate({ failures: new Failures(LIMIT) })
    const start = Date.now()
    await fail(judge, LIMIT)
    setSystemTime(new Date(start + 50_000))
    expect(await failureOf(() => judge.identify(SECRET, here))).toBe('too-many-failures')
    setSystemTime(new Date(start + 70_000))
    expect(judge.identify(SECRET, here)).toMatchObject({ kind: 'admin' })
    expect(await fail(judge, LIMIT)).toBe('bad-token')
    expect(await fail(judge, 1)).toBe('too-many-failures')
  })

  test('is not refused for longer when the clock is set back', async () => {
    const judge = gate({ failures: new Failures(LIMIT) })
    await fail(judge, LIMIT)
    setSystemTime(new Date(Date.now() - 3_600_000))
    expect(judge.identify(SECRET, here)).toMatchObject({ kind: 'admin' })
    expect(await fail(judge, 1)).toBe('bad-token')
    expect(await failureOf(() => judge.identify(SECRET, here))).toBe('too-many-failures')
  })
})

describe('counted', () => {
  test.each([
    ['words', 'wrong', true],
    ['nothing', '', true],
    ['a wrong signature', wrong, true],
    ['no algorithm', token(wilddog(), { alg: 'none' }), true],
    ['a clear header missing', token(wilddog(), '{"alg":"HS256","alg":"HS256"}'), true],
    ['a token that is too long', `${'a'.repeat(20_000)}.b.c`, true],
    ['an expired token, rightly signed', token(wilddog({ exp: NOW })), false],
    ['a token that is not good yet, rightly signed', token(wilddog({ iat: NOW + 6 })), false],
    ['a token without a user, rightly signed', token(wilddog({ uid: undefined })), false],
    ['a good token', token(wilddog()), false],
    ['the secret', SECRET, false],
  ])('%s: %p', async (_, credential, isCounted) => {
    const judge = gate({ failures: new Failures(1) })
    await failureOf(() => judge.identify(credential, here))
    const next = await failureOf(() => judge.identify(SECRET, here))
    expect(next).toEqual(isCounted ? 'too-many-failures' : { kind: 'admin', auth: null })
  })

  test('in an exchange as well', async () => {
    const judge = gate({ failures: new Failures(LIMIT) })
    for (let time = 0; time < LIMIT; time++) {
      expect(await failureOf(() => judge.exchange(wrong, here))).toBe('bad-token')
      expect(await failureOf(() => judge.exchange(undefined, here))).toBe('token-missing')
    }
    expect(await failureOf(() => judge.exchange(token(wilddog()), here))).toBe('too-many-failures')
  })

  test('one each for those who show the same at a time', async () => {
    const judge = gate({ failures: new Failures(2) })
    const origins = [here, from('192.0.2.2'), here]
    await Promise.all(origins.map((origin) => failureOf(() => judge.identify(wrong, origin))))
    expect(await failureOf(() => judge.identify(SECRET, here))).toBe('too-many-failures')
    expect(judge.identify(SECRET, from('192.0.2.2'))).toMatchObject({ kind: 'admin' })
  })

  test('never, with a limit of 0', async () => {
    const judge = gate({ failures: new Failures(0) })
    expect(await fail(judge, 100)).toBe('bad-token')
  })

  test('for so many networks and no more', async () => {
    const judge = gate({ failures: new Failures(1, 2) })
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) await fail(judge, 1, from(address))
    expect(judge.identify(SECRET, from('192.0.2.1'))).toMatchObject({ kind: 'admin' })
    for (const address of ['192.0.2.2', '192.0.2.3']) {
      expect(await failureOf(() => judge.identify(SECRET, from(address)))).toBe('too-many-failures')
    }
  })
})

describe('of what is shown at once', () => {
  const guess = (index: number) => token(wilddog(), HEADER, { secret: `guess ${index}` })
  const good = (index: number) => token(wilddog({ uid: `user-${index}` }))
  const many = [...Array(4 * LIMIT).keys()]
  type Judge = ReturnType<typeof gate>

  const ways: readonly (readonly [string, (judge: Judge, index: number) => unknown])[] = [
    ['words', (judge, index) => judge.identify(`guess ${index}`, here)],
    ['tokens', (judge, index) => judge.identify(guess(index), here)],
    ['exchanges', (judge, index) => judge.exchange(guess(index), here)],
    [
      'some each',
      (judge, index) => (index % 2 ? judge.exchange(guess(index), here) : judge.identify(guess(index), here)),
    ],
  ]

  test.each(ways)('no more is looked at than may be wrong: %s', async (_, show) => {
    const judge = gate({ failures: new Failures(LIMIT) })
    const outcomes = await Promise.all(many.map((index) => failureOf(() => show(judge, index))))
    const expected = many.map((index) => (index < LIMIT ? 'bad-token' : 'too-many-failures'))
    expect(outcomes).toEqual(expected)
    expect(await failureOf(() => judge.identify(SECRET, here))).toBe('too-many-failures')
  })

  test('what failed before leaves less', async () => {
    const judge = gate({ failures: new Failures(LIMIT) })
    await fail(judge, LIMIT - 1)
    const outcomes = await Promise.all(many.map((index) => failureOf(() => judge.identify(guess(index), here))))
    expect(outcomes.filter((outcome) => outcome === 'bad-token')).toHaveLength(1)
  })

  test('nothing right gets in among too many guesses', async () => {
    const judge = gate({ failures: new Failures(LIMIT) })
    const shown = [...many.slice(0, LIMIT).map(guess), SECRET, good(1)]
    const outcomes = await Promise.all(shown.map((credential) => failureOf(() => judge.identify(credential, here))))
    expect(outcomes.slice(LIMIT)).toEqual(['too-many-failures', 'too-many-failures'])
  })

  test('others are heard meanwhile', async () => {
    const judge = gate({ failures: new Failures(LIMIT) })
    const guesses = many.map((index) => failureOf(() => judge.identify(guess(index), here)))
    expect(judge.identify(SECRET, from('192.0.2.2'))).toMatchObject({ kind: 'admin' })
    await Promise.all(guesses)
  })

  test('what turns out right gives its place back', async () => {
    const judge = gate({ failures: new Failures(LIMIT) })
    for (let round = 0; round < LIMIT; round++) {
      const shown = many.slice(0, LIMIT).map((index) => good(round * LIMIT + index))
      const callers = await Promise.all(shown.map((credential) => judge.identify(credential, here)))
      expect(callers).toHaveLength(LIMIT)
    }
    expect(await fail(judge, LIMIT)).toBe('bad-token')
  })

  test('what is signed rightly and no good gives its place back', async () => {
    const judge = gate({ failures: new Failures(1) })
    expect(await failureOf(() => judge.identify(token(wilddog({ exp: NOW })), here))).toBe('token-expired')
    expect(judge.identify(SECRET, here)).toMatchObject({ kind: 'admin' })
  })

  test('the same from one network is one guess', async () => {
    const failures = new Failures(1)
    const judge = gate({ failures })
    const asked = many.map((index) => (index % 2 ? judge.identify(good(1), here) : judge.exchange(good(1), here)))
    expect(await Promise.all(asked)).toHaveLength(many.length)
    const wrongs = await Promise.all(many.map(() => failureOf(() => judge.identify(wrong, here))))
    expect(new Set(wrongs)).toEqual(new Set(['bad-token']))
    expect(await failureOf(() => judge.identify(wrong, here))).toBe('too-many-failures')
  })

  test('good ones wait for their turn, the secret too', async () => {
    const judge = gate({ failures: new Failures(1) })
    const shown = [...many.map(good), SECRET]
    const callers = await Promise.all(shown.map((credential) => judge.identify(credential, here)))
    expect(callers.map(({ kind }) => kind)).toEqual([...many.map(() => 'user' as const), 'admin'])
  })

  test('the same at two applications is two guesses', async () => {
    const failures = new Failures(1)
    const judges = ['zoo', 'farm'].map((application) => gate({ failures, application }))
    const outcomes = await Promise.all(judges.map((judge) => failureOf(() => judge.identify(wrong, here))))
    expect(outcomes).toEqual(['bad-token', 'too-many-failures'])
  })

  test('a new secret meanwhile changes nothing', async () => {
    const judge = gate({ failures: new Failures(LIMIT) })
    const guesses = many.map((index) => failureOf(() => judge.identify(guess(index), here)))
    judge.rotate(OTHER_SECRET)
    const outcomes = await Promise.all(guesses)
    expect(outcomes.filter((outcome) => outcome === 'bad-token')).toHaveLength(LIMIT)
    expect(await failureOf(() => judge.identify(OTHER_SECRET, here))).toBe('too-many-failures')
  })

  test('a check that breaks gives its place back, and is no failure', async () => {
    const failures = new Failures(1)
    const judge = gate({ failures })
    const importing = spyOn(crypto.subtle, 'importKey').mockRejectedValue(new Error('broken'))
    for (const _ of many) await expect(Promise.resolve(judge.identify(good(1), here))).rejects.toThrow('broken')
    importing.mockRestore()
    expect(failures.concernsAny).toBe(false)
    expect(await judge.identify(good(1), here)).toMatchObject({ kind: 'user' })
  })
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8::ffff:192.0.2.1', '2001:db8:0:0::/64'],
  ['2001:0DB8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
  ['2001:db8:a:b:1:2:3:4', '2001:db8:a:b::/64'],
  ['2001:db8:a:b::', '2001:db8:a:b::/64'],
  ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
  ['::2:3:4:5:6:7:8', '0:2:3:4::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['203.0.113.5:40001', '203.0.113.5'],
  [' 203.0.113.5 ', '203.0.113.5'],
  ['"203.0.113.5"', '203.0.113.5'],
  ['"203.0.113.5:40001"', '203.0.113.5'],
  ['203.0.113.5:_hidden', '203.0.113.5'],
  ['[203.0.113.5]:443', '203.0.113.5'],
  ['::ffff:203.0.113.5:40001', '203.0.113.5'],
  ['[::ffff:203.0.113.5]:40001', '203.0.113.5'],
  ['[2001:db8::1]:443', '2001:db8:0:0::/64'],
  ['[2001:db8::1]', '2001:db8:0:0::/64'],
  ['"[2001:db8::1]:443"', '2001:db8:0:0::/64'],
  ['"2001:db8::1"', '2001:db8:0:0::/64'],
  ['[fe80::1%eth0]:443', 'fe80:0:0:0::/64'],
  ['unix:/run/socket', 'no address'],
  ['unknown', 'no address'],
  ['_hidden-7', 'no address'],
  ['203.0.113.05', 'no address'],
  ['203.0.113.5:1:2', 'no address'],
  ['203.0.113.5, 203.0.113.6', 'no address'],
  ['"203.0.113.5', 'no address'],
  ['[2001:db8::1', 'no address'],
  ['2001:db8::1]:443', 'no address'],
  ['[]:443', 'no address'],
  ['%', 'no address'],
  ['', 'no address'],
])('%p is counted as %p', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
