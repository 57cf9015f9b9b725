import { afterEach, describe, expect, setSystemTime, spyOn, test } from 'bun:test'
import { Failures } from '../../src/auth/failed-attempts.ts'
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

describe('an address that has shown too many wrong credentials', () => {
  test.each([
    ['a wrong token', wrong],
    ['words', 'wrong'],
    ['a token of another algorithm', token(wilddog(), { alg: 'none' })],
  ])('is told so for another one: %s', async (_, credential) => {
    const judge = gate({ failures: new Failures(LIMIT) })
    expect(await fail(judge, LIMIT)).toBe('bad-token')
    expect(await failureOf(() => judge.identify(credential, here))).toBe('too-many-failures')
    expect(await failureOf(() => judge.exchange(credential, here))).toBe('too-many-failures')
  })

  test('is heard with what is right', async () => {
    const judge = gate({ failures: new Failures(LIMIT) })
    const known = token(wilddog())
    await judge.identify(known, here)
    await fail(judge, 2 * LIMIT)
    expect(judge.identify(undefined, here)).toMatchObject({ kind: 'anybody' })
    expect(judge.identify(SECRET, here)).toMatchObject({ kind: 'admin' })
    expect(judge.identify(known, here)).toMatchObject({ kind: 'user' })
    expect(await judge.identify(token(wilddog({ uid: 'new' })), here)).toMatchObject({ kind: 'user' })
    expect(await judge.exchange(token(wilddog({ uid: 'other' })), here)).toMatchObject({ expireIn: 3600 })
  })

  test('is told what is wrong with what is no guess', async () => {
    const judge = gate({ failures: new Failures(LIMIT) })
    await fail(judge, 2 * LIMIT)
    expect(await failureOf(() => judge.identify(token(wilddog({ exp: NOW })), here))).toBe('token-expired')
    expect(await failureOf(() => judge.identify('', here))).toBe('bad-token')
    expect(await failureOf(() => judge.exchange(undefined, here))).toBe('token-missing')
  })

  test('does not stand for others, nor for those whose address is not known', async () => {
    const judge = gate({ failures: new Failures(LIMIT) })
    await fail(judge, LIMIT)
    expect(await fail(judge, 1, from('192.0.2.2'))).toBe('bad-token')
    expect(await failureOf(() => judge.identify('wrong', { address: undefined, isBearer: false }))).toBe('bad-token')
  })

  test('is counted by every gate that counts together', async () => {
    const failures = new Failures(LIMIT)
    const [zoo, farm] = [gate({ failures }), gate({ failures, application: 'farm' })]
    await fail(zoo, LIMIT - 1)
    await fail(farm, 1)
    expect(await fail(zoo, 1)).toBe('too-many-failures')
  })

  test('is told what is wrong again when the minute is over', async () => {
    const judge = gate({ failures: new Failures(LIMIT) })
    const start = Date.now()
    await fail(judge, LIMIT)
    setSystemTime(new Date(start + 50_000))
    expect(await fail(judge, 1)).toBe('too-many-failures')
    setSystemTime(new Date(start + 70_000))
    expect(await fail(judge, LIMIT)).toBe('bad-token')
    expect(await fail(judge, 1)).toBe('too-many-failures')
  })

  test('is told of once', async () => {
    const told: string[] = []
    let failed = 0
    const failures = new Failures(LIMIT, { onFailed: () => failed++, onExceeded: (network) => told.push(network) })
    await fail(gate({ failures }), 3 * LIMIT)
    expect([told, failed]).toEqual([['192.0.2.1'], 3 * LIMIT])
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
    const judge = gate({ failures: new Failures(1) })
    await failureOf(() => judge.identify(credential, here))
    expect(await fail(judge, 1)).toBe(isCounted ? 'too-many-failures' : 'bad-token')
  })

  test('in an exchange as well', async () => {
    const judge = gate({ failures: new Failures(LIMIT) })
    for (let time = 0; time < LIMIT; time++) {
      expect(await failureOf(() => judge.exchange(wrong, here))).toBe('bad-token')
      expect(await failureOf(() => judge.exchange(undefined, here))).toBe('token-missing')
    }
    expect(await failureOf(() => judge.exchange(wrong, here))).toBe('too-many-failures')
    expect(await judge.exchange(token(wilddog()), here)).toMatchObject({ expireIn: 3600 })
  })

  test('one each for those who show the same at a time', async () => {
    const judge = gate({ failures: new Failures(2) })
    const origins = [here, from('192.0.2.2'), here]
    await Promise.all(origins.map((origin) => failureOf(() => judge.identify(wrong, origin))))
    expect(await fail(judge, 1)).toBe('too-many-failures')
    expect(await fail(judge, 1, from('192.0.2.2'))).toBe('bad-token')
  })

  test('never, with a limit of 0', async () => {
    const judge = gate({ failures: new Failures(0) })
    expect(await fail(judge, 100)).toBe('bad-token')
  })

  test('for so many networks and no more', async () => {
    const judge = gate({ failures: new Failures(1, { maxNetworks: 2 }) })
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) await fail(judge, 1, from(address))
    expect(await fail(judge, 1, from('192.0.2.2'))).toBe('too-many-failures')
    expect(await fail(judge, 1, from('192.0.2.3'))).toBe('too-many-failures')
    expect(await fail(judge, 1, from('192.0.2.1'))).toBe('bad-token')
  })
})

describe('of what is shown at once', () => {
  const guess = (index: number) => token(wilddog(), HEADER, { secret: `guess ${index}` })
  const good = (index: number) => token(wilddog({ uid: `user-${index}` }))
  const many = [...Array(10 * LIMIT).keys()]
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

  test.each(ways)('no more than the limit are told what is wrong: %s', async (_, show) => {
    const judge = gate({ failures: new Failures(LIMIT) })
    const outcomes = await Promise.all(many.map((index) => failureOf(() => show(judge, index))))
    const heard = outcomes.filter((outcome) => outcome === 'bad-token')
    const late = outcomes.filter((outcome) => outcome === 'too-many-failures')
    expect([heard.length, late.length]).toEqual([LIMIT, many.length - LIMIT])
  })

  test('right ones among many guesses are let in', async () => {
    const failures = new Failures(LIMIT)
    const judge = gate({ failures })
    const guesses = Promise.all(many.map((index) => failureOf(() => judge.identify(guess(index), here))))
    expect(judge.identify(SECRET, here)).toMatchObject({ kind: 'admin' })
    const rights = many.map((index) => judge.identify(good(index), here))
    expect(await Promise.all(rights)).toHaveLength(many.length)
    await guesses
    expect(failures.underWay).toBe(0)
  })

  test('a network has only so many verified, and others are not held up', async () => {
    const failures = new Failures(LIMIT)
    const open = Promise.withResolvers<void>()
    const begun: string[] = []
    const verify = (name: string) => async () => {
      begun.push(name)
      await open.promise
    }
    const waiting = many.map((index) => failures.within('192.0.2.1', verify(`a${index}`)))
    const other = failures.within('192.0.2.2', verify('b'))
    await new Promise(setImmediate)
    expect(begun.toSorted()).toEqual([...many.slice(0, 8).map((index) => `a${index}`), 'b'])
    open.resolve()
    await Promise.all([...waiting, other])
    expect([begun.length, failures.underWay]).toEqual([many.length + 1, 0])
  })

  test('a new secret meanwhile changes nothing', async () => {
    const judge = gate({ failures: new Failures(LIMIT) })
    const guesses = many.map((index) => failureOf(() => judge.identify(guess(index), here)))
    judge.rotate(OTHER_SECRET)
    const outcomes = await Promise.all(guesses)
    expect(outcomes.filter((outcome) => outcome === 'bad-token')).toHaveLength(LIMIT)
    expect(judge.identify(OTHER_SECRET, here)).toMatchObject({ kind: 'admin' })
  })

  test('a check that breaks is no failure', async () => {
    const failures = new Failures(1)
    const judge = gate({ failures })
    const importing = spyOn(crypto.subtle, 'importKey').mockRejectedValue(new Error('broken'))
    for (const _ of many) await expect(Promise.resolve(judge.identify(good(1), here))).rejects.toThrow('broken')
    importing.mockRestore()
    expect(failures.underWay).toBe(0)
    expect(await judge.identify(good(1), here)).toMatchObject({ kind: 'user' })
    expect(await fail(judge, 1)).toBe('bad-token')
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
