import { afterAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import {
  authenticator,
  failureOf,
  HEADER,
  NOW,
  NOW_MS,
  NOWHERE,
  OTHER_SECRET,
  SECRET,
  token,
  wilddog,
} from './hand-made.ts'

const text = token(wilddog({ exp: NOW + 60 }))
const newText = token(wilddog({ exp: NOW + 60 }), HEADER, { secret: OTHER_SECRET })

const verify = crypto.subtle.verify
const verifying = spyOn(crypto.subtle, 'verify')

beforeEach(() => {
  verifying.mockReset()
  verifying.mockImplementation(verify.bind(crypto.subtle))
})

afterAll(() => {
  verifying.mockRestore()
})

/** Holds every check of a signature that begins from now on, until it is let go. */
function holdChecks(): { readonly begun: Promise<void>; readonly letGo: () => void } {
  const begun = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  verifying.mockImplementation(async (...parameters: unknown[]) => {
    begun.resolve()
    await held.promise
    return (verify as (...parameters: unknown[]) => Promise<boolean>).apply(crypto.subtle, parameters)
  })
  return { begun: begun.promise, letGo: held.resolve }
}

describe('a token verified once', () => {
  test('is not verified again, and known at once', async () => {
    const subject = authenticator()
    const first = await subject.authenticate(text, NOWHERE)
    verifying.mockClear()
    expect(subject.authenticate(text, NOWHERE)).toBe(first)
    expect(subject.authenticate(text, NOWHERE)).toBe(first)
    await subject.exchange(text, NOWHERE)
    expect(verifying).not.toHaveBeenCalled()
  })

  test('is verified once for all who ask at a time', async () => {
    const subject = authenticator()
    const { letGo } = holdChecks()
    const asked = [1, 2, 3].map(() => subject.authenticate(text, NOWHERE))
    letGo()
    expect(await Promise.all(asked)).toHaveLength(3)
    expect(verifying).toHaveBeenCalledTimes(1)
  })

  test('a wrong one is wrong for all who ask at a time, and verified again for the next', async () => {
    const subject = authenticator()
    const { letGo } = holdChecks()
    const asked = [1, 2, 3].map(() => failureOf(() => subject.authenticate(newText, NOWHERE)))
    letGo()
    expect(await Promise.all(asked)).toEqual(['bad-token', 'bad-token', 'bad-token'])
    await failureOf(() => subject.authenticate(newText, NOWHERE))
    expect(verifying).toHaveBeenCalledTimes(2)
  })

  test('ends when it says so', async () => {
    let now = NOW_MS
    const subject = authenticator({ now: () => now })
    await subject.authenticate(text, NOWHERE)
    now += 59_999
    expect(subject.authenticate(text, NOWHERE)).not.toBeInstanceOf(Promise)
    now += 1
    expect(await failureOf(() => subject.authenticate(text, NOWHERE))).toBe('token-expired')
  })

  test('stays expired when the clock is set back', async () => {
    let now = NOW_MS
    const subject = authenticator({ now: () => now })
    await subject.authenticate(text, NOWHERE)
    now += 60_000
    expect(await failureOf(() => subject.authenticate(text, NOWHERE))).toBe('token-expired')
    now -= 30_000
    expect(await failureOf(() => subject.authenticate(text, NOWHERE))).toBe('token-expired')
    expect(await failureOf(() => subject.exchange(text, NOWHERE))).toBe('token-expired')
  })
})

describe('a new secret', () => {
  test('refuses the old one, its tokens and its ID tokens at once', async () => {
    const subject = authenticator()
    await subject.authenticate(text, NOWHERE)
    const { idToken } = await subject.exchange(text, NOWHERE)
    await subject.authenticate(idToken, NOWHERE)
    subject.rotate(OTHER_SECRET)
    for (const old of [SECRET, text, idToken]) {
      expect(await failureOf(() => subject.authenticate(old, NOWHERE))).toBe('bad-token')
    }
    expect(await failureOf(() => subject.exchange(text, NOWHERE))).toBe('bad-token')
    expect(subject.authenticate(OTHER_SECRET, NOWHERE)).toEqual({ kind: 'admin', auth: null })
    expect(await subject.authenticate(newText, NOWHERE)).toMatchObject({ kind: 'user' })
  })

  test('refuses a token of the old one that is being verified, and does not remember it', async () => {
    const subject = authenticator()
    const { begun, letGo } = holdChecks()
    const identified = failureOf(() => subject.authenticate(text, NOWHERE))
    const exchanged = failureOf(() => subject.exchange(text, NOWHERE))
    await begun
    subject.rotate(OTHER_SECRET)
    letGo()
    expect(await identified).toBe('bad-token')
    expect(await exchanged).toBe('bad-token')
    subject.rotate(SECRET)
    expect(subject.authenticate(text, NOWHERE)).toBeInstanceOf(Promise)
  })

  test('takes a token of the new one whose check began under the old one', async () => {
    const subject = authenticator()
    const { begun, letGo } = holdChecks()
    const identified = subject.authenticate(newText, NOWHERE)
    await begun
    subject.rotate(OTHER_SECRET)
    letGo()
    expect(await identified).toMatchObject({ kind: 'user' })
  })

  test('makes no ID token under the old one while it changes', async () => {
    const subject = authenticator()
    await subject.authenticate(text, NOWHERE)
    const exchanged = failureOf(() => subject.exchange(text, NOWHERE))
    subject.rotate(OTHER_SECRET)
    expect(await exchanged).toBe('bad-token')
  })
})
