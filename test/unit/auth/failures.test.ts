import { afterEach, describe, expect, setSystemTime, spyOn, test } from 'bun:test'
import { FailedAttempts } from '../../../src/auth/failed-attempts.ts'
import { networkOf } from '../../../src/auth/network.ts'
import { authenticator, failureOf, HEADER, NOW, OTHER_SECRET, SECRET, token, wilddog } from './hand-made.ts'

const LIMIT = 3
const wrong = token(wilddog(), HEADER, { secret: OTHER_SECRET })
const from = (address: string) => ({ address, isBearer: false })
const here = from('192.0.2.1')

afterEach(() => {
  setSystemTime()
})

/** Shows so many wrong credentials and returns what came of the last. */
async function fail(subject: ReturnType<typeof authenticator>, times: number, origin = here): Promise<unknown> {
  let outcome: unknown
  for (let time = 0; time < times; time++) outcome = await failureOf(() => subject.authenticate('wrong', origin))
  return outcome
}

describe('an address that has shown too many wrong credentials', () => {
  test.each([
    ['a wrong token', wrong],
    ['words', 'wrong'],
    ['a token of another algorithm', token(wilddog(), { alg: 'none' })],
  ])('is told so for another one: %s', async (_, credential) => {
    const subject = authenticator({ failedAttempts: new FailedAttempts(LIMIT) })
    expect(await fail(subject, LIMIT)).toBe('bad-token')
    expect(await failureOf(() => subject.authenticate(credential, here))).toBe('too-many-failures')
    expect(await failureOf(() => subject.exchange(credential, here))).toBe('too-many-failures')
  })

  test('is heard with what is right', async () => {
    const subject = authenticator({ failedAttempts: new FailedAttempts(LIMIT) })
    const known = token(wilddog())
    await subject.authenticate(known, here)
    await fail(subject, 2 * LIMIT)
    expect(subject.authenticate(undefined, here)).toMatchObject({ kind: 'anybody' })
    expect(subject.authenticate(SECRET, here)).toMatchObject({ kind: 'admin' })
    expect(subject.authenticate(known, here)).toMatchObject({ kind: 'user' })
    expect(await subject.authenticate(token(wilddog({ uid: 'new' })), here)).toMatchObject({ kind: 'user' })
    expect(await subject.exchange(token(wilddog({ uid: 'other' })), here)).toMatchObject({ expireIn: 3600 })
  })

  test('is told what is wrong with what is no guess', async () => {
    const subject = authenticator({ failedAttempts: new FailedAttempts(LIMIT) })
    await fail(subject, 2 * LIMIT)
    expect(await failureOf(() => subject.authenticate(token(wilddog({ exp: NOW })), here))).toBe('token-expired')
    expect(await failureOf(() => subject.authenticate('', here))).toBe('bad-token')
    expect(await failureOf(() => subject.exchange(undefined, here))).toBe('token-missing')
  })

  test('does not stand for others, nor for those whose address is not known', async () => {
    const subject = authenticator({ failedAttempts: new FailedAttempts(LIMIT) })
    await fail(subject, LIMIT)
    expect(await fail(subject, 1, from('192.0.2.2'))).toBe('bad-token')
    expect(await failureOf(() => subject.authenticate('wrong', { address: undefined, isBearer: false }))).toBe(
      'bad-token',
    )
  })

  test('is counted by every authenticator that counts together', async () => {
    const failures = new FailedAttempts(LIMIT)
    const [zoo, farm] = [
      authenticator({ failedAttempts: failures }),
      authenticator({ failedAttempts: failures, application: 'farm' }),
    ]
    await fail(zoo, LIMIT - 1)
    await fail(farm, 1)
    expect(await fail(zoo, 1)).toBe('too-many-failures')
  })

  test('is told what is wrong again when the minute is over', async () => {
    const subject = authenticator({ failedAttempts: new FailedAttempts(LIMIT) })
    const start = Date.now()
    await fail(subject, LIMIT)
    setSystemTime(new Date(start + 50_000))
    expect(await fail(subject, 1)).toBe('too-many-failures')
    setSystemTime(new Date(start + 70_000))
    expect(await fail(subject, LIMIT)).toBe('bad-token')
    expect(await fail(subject, 1)).toBe('too-many-failures')
  })

  test('is told of once', async () => {
    const told: string[] = []
    let failed = 0
    const failures = new FailedAttempts(LIMIT, {
      onFailed: () => failed++,
      onExceeded: (network) => told.push(network),
    })
    await fail(authenticator({ failedAttempts: failures }), 3 * LIMIT)
    expect([told, failed]).toEqual([['192.0.2.1'], 3 * LIMIT])
  })
})

describe('shared with other processes', () => {
  /** Counts of all processes, and how often they were asked. */
  function sharedCounts(others: number) {
    let asked = 0
    return {
      asked: () => asked,
      add: async () => ({ failures: others + ++asked, leftMs: 60_000 }),
    }
  }

  test('failures elsewhere count, and beyond the limit nothing is asked', async () => {
    const shared = sharedCounts(LIMIT - 1)
    const told: string[] = []
    const failedAttempts = new FailedAttempts(LIMIT, { shared, onExceeded: (network) => told.push(network) })
    const subject = authenticator({ failedAttempts })
    expect(await fail(subject, 1)).toBe('bad-token')
    expect(await fail(subject, 1)).toBe('too-many-failures')
    expect(await fail(subject, 5)).toBe('too-many-failures')
    expect([shared.asked(), told]).toEqual([1, ['192.0.2.1']])
  })

  test('while they cannot be counted, this process counts alone', async () => {
    const shared = { add: () => Promise.reject(new Error('away')) }
    const subject = authenticator({ failedAttempts: new FailedAttempts(LIMIT, { shared }) })
    expect(await fail(subject, LIMIT)).toBe('bad-token')
    expect(await fail(subject, 1)).toBe('too-many-failures')
  })
})

describe('counted', () => {
  test.each([
    ['words', 'wrong', true],
    ['nothing', '', false],
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
    const subject = authenticator({ failedAttempts: new FailedAttempts(1) })
    await failureOf(() => subject.authenticate(credential, here))
    expect(await fail(subject, 1)).toBe(isCounted ? 'too-many-failures' : 'bad-token')
  })

  test('in an exchange as well', async () => {
    const subject = authenticator({ failedAttempts: new FailedAttempts(LIMIT) })
    for (let time = 0; time < LIMIT; time++) {
      expect(await failureOf(() => subject.exchange(wrong, here))).toBe('bad-token')
      expect(await failureOf(() => subject.exchange(undefined, here))).toBe('token-missing')
    }
    expect(await failureOf(() => subject.exchange(wrong, here))).toBe('too-many-failures')
    expect(await subject.exchange(token(wilddog()), here)).toMatchObject({ expireIn: 3600 })
  })

  test('one each for those who show the same at a time', async () => {
    const subject = authenticator({ failedAttempts: new FailedAttempts(2) })
    const origins = [here, from('192.0.2.2'), here]
    await Promise.all(origins.map((origin) => failureOf(() => subject.authenticate(wrong, origin))))
    expect(await fail(subject, 1)).toBe('too-many-failures')
    expect(await fail(subject, 1, from('192.0.2.2'))).toBe('bad-token')
  })

  test('never, with a limit of 0', async () => {
    const subject = authenticator({ failedAttempts: new FailedAttempts(0) })
    expect(await fail(subject, 100)).toBe('bad-token')
  })

  test('for so many networks and no more', async () => {
    const subject = authenticator({ failedAttempts: new FailedAttempts(1, { maxNetworks: 2 }) })
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) await fail(subject, 1, from(address))
    expect(await fail(subject, 1, from('192.0.2.2'))).toBe('too-many-failures')
    expect(await fail(subject, 1, from('192.0.2.3'))).toBe('too-many-failures')
    expect(await fail(subject, 1, from('192.0.2.1'))).toBe('bad-token')
  })
})

describe('of what is shown at once', () => {
  const guess = (index: number) => token(wilddog(), HEADER, { secret: `guess ${index}` })
  const good = (index: number) => token(wilddog({ uid: `user-${index}` }))
  const many = [...Array(10 * LIMIT).keys()]
  type Subject = ReturnType<typeof authenticator>

  const ways: readonly (readonly [string, (subject: Subject, index: number) => unknown])[] = [
    ['words', (subject, index) => subject.authenticate(`guess ${index}`, here)],
    ['tokens', (subject, index) => subject.authenticate(guess(index), here)],
    ['exchanges', (subject, index) => subject.exchange(guess(index), here)],
    [
      'some each',
      (subject, index) => (index % 2 ? subject.exchange(guess(index), here) : subject.authenticate(guess(index), here)),
    ],
  ]

  test.each(ways)('no more than the limit are told what is wrong: %s', async (_, show) => {
    const subject = authenticator({ failedAttempts: new FailedAttempts(LIMIT) })
    const outcomes = await Promise.all(many.map((index) => failureOf(() => show(subject, index))))
    const heard = outcomes.filter((outcome) => outcome === 'bad-token')
    const late = outcomes.filter((outcome) => outcome === 'too-many-failures')
    expect([heard.length, late.length]).toEqual([LIMIT, many.length - LIMIT])
  })

  test('right ones among many guesses are let in', async () => {
    const failures = new FailedAttempts(LIMIT)
    const subject = authenticator({ failedAttempts: failures })
    const guesses = Promise.all(many.map((index) => failureOf(() => subject.authenticate(guess(index), here))))
    expect(subject.authenticate(SECRET, here)).toMatchObject({ kind: 'admin' })
    const rights = many.map((index) => subject.authenticate(good(index), here))
    expect(await Promise.all(rights)).toHaveLength(many.length)
    await guesses
    expect(failures.verifyingNetworks).toBe(0)
  })

  test('a network has only so many verified, and others are not held up', async () => {
    const failures = new FailedAttempts(LIMIT)
    const open = Promise.withResolvers<void>()
    const begun: string[] = []
    const verify = (name: string) => async () => {
      begun.push(name)
      await open.promise
    }
    const waiting = many.map((index) => failures.runWithinLimit('192.0.2.1', verify(`a${index}`)))
    const other = failures.runWithinLimit('192.0.2.2', verify('b'))
    await new Promise(setImmediate)
    expect(begun.toSorted()).toEqual([...many.slice(0, 8).map((index) => `a${index}`), 'b'])
    open.resolve()
    await Promise.all([...waiting, other])
    expect([begun.length, failures.verifyingNetworks]).toEqual([many.length + 1, 0])
  })

  test('a new secret meanwhile changes nothing', async () => {
    const subject = authenticator({ failedAttempts: new FailedAttempts(LIMIT) })
    const guesses = many.map((index) => failureOf(() => subject.authenticate(guess(index), here)))
    subject.rotate(OTHER_SECRET)
    const outcomes = await Promise.all(guesses)
    expect(outcomes.filter((outcome) => outcome === 'bad-token')).toHaveLength(LIMIT)
    expect(subject.authenticate(OTHER_SECRET, here)).toMatchObject({ kind: 'admin' })
  })

  test('a check that breaks is no failure', async () => {
    const failures = new FailedAttempts(1)
    const subject = authenticator({ failedAttempts: failures })
    const importing = spyOn(crypto.subtle, 'importKey').mockRejectedValue(new Error('broken'))
    for (const _ of many) await expect(Promise.resolve(subject.authenticate(good(1), here))).rejects.toThrow('broken')
    importing.mockRestore()
    expect(failures.verifyingNetworks).toBe(0)
    expect(await subject.authenticate(good(1), here)).toMatchObject({ kind: 'user' })
    expect(await fail(subject, 1)).toBe('bad-token')
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
