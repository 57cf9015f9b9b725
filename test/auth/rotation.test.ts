import { afterAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { failureOf, gate, HEADER, NOW, NOW_MS, NOWHERE, OTHER_SECRET, SECRET, token, wilddog } from './hand-made.ts'

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
    const judge = gate()
    const first = await judge.identify(text, NOWHERE)
    verifying.mockClear()
    expect(judge.identify(text, NOWHERE)).toBe(first)
    expect(judge.identify(text, NOWHERE)).toBe(first)
    await judge.exchange(text, NOWHERE)
    expect(verifying).not.toHaveBeenCalled()
  })

  test('is verified once for all who ask at a time', async () => {
    const judge = gate()
    const { letGo } = holdChecks()
    const asked = [1, 2, 3].map(() => judge.identify(text, NOWHERE))
    letGo()
    expect(await Promise.all(asked)).toHaveLength(3)
    expect(verifying).toHaveBeenCalledTimes(1)
  })

  test('a wrong one is wrong for all who ask at a time, and verified again for the next', async () => {
    const judge = gate()
    const { letGo } = holdChecks()
    const asked = [1, 2, 3].map(() => failureOf(() => judge.identify(newText, NOWHERE)))
    letGo()
    expect(await Promise.all(asked)).toEqual(['bad-token', 'bad-token', 'bad-token'])
    await failureOf(() => judge.identify(newText, NOWHERE))
    expect(verifying).toHaveBeenCalledTimes(2)
  })

  test('ends when it says so', async () => {
    let now = NOW_MS
    const judge = gate({ now: () => now })
    await judge.identify(text, NOWHERE)
    now += 59_999
    expect(judge.identify(text, NOWHERE)).not.toBeInstanceOf(Promise)
    now += 1
    expect(await failureOf(() => judge.identify(text, NOWHERE))).toBe('token-expired')
  })

  test('stays expired when the clock is set back', async () => {
    let now = NOW_MS
    const judge = gate({ now: () => now })
    await judge.identify(text, NOWHERE)
    now += 60_000
    expect(await failureOf(() => judge.identify(text, NOWHERE))).toBe('token-expired')
    now -= 30_000
    expect(await failureOf(() => judge.identify(text, NOWHERE))).toBe('token-expired')
    expect(await failureOf(() => judge.exchange(text, NOWHERE))).toBe('token-expired')
  })
})

describe('a new secret', () => {
  test('refuses the old one, its tokens and its ID tokens at once', async () => {
    const judge = gate()
    await judge.identify(text, NOWHERE)
    const { idToken } = await judge.exchange(text, NOWHERE)
    await judge.identify(idToken, NOWHERE)
    judge.rotate(OTHER_SECRET)
    for (const old of [SECRET, text, idToken]) {
      expect(await failureOf(() => judge.identify(old, NOWHERE))).toBe('bad-token')
    }
    expect(await failureOf(() => judge.exchange(text, NOWHERE))).toBe('bad-token')
    expect(judge.identify(OTHER_SECRET, NOWHERE)).toEqual({ kind: 'admin', auth: null })
    expect(await judge.identify(newText, NOWHERE)).toMatchObject({ kind: 'user' })
  })

  test('refuses a token of the old one that is being verified, and does not remember it', async () => {
    const judge = gate()
    const { begun, letGo } = holdChecks()
    const identified = failureOf(() => judge.identify(text, NOWHERE))
    const exchanged = failureOf(() => judge.exchange(text, NOWHERE))
    await begun
    judge.rotate(OTHER_SECRET)
    letGo()
    expect(await identified).toBe('bad-token')
    expect(await exchanged).toBe('bad-token')
    judge.rotate(SECRET)
    expect(judge.identify(text, NOWHERE)).toBeInstanceOf(Promise)
  })

  test('takes a token of the new one whose check began under the old one', async () => {
    const judge = gate()
    const { begun, letGo } = holdChecks()
    const identified = judge.identify(newText, NOWHERE)
    await begun
    judge.rotate(OTHER_SECRET)
    letGo()
    expect(await identified).toMatchObject({ kind: 'user' })
  })

  test('makes no ID token under the old one while it changes', async () => {
    const judge = gate()
    await judge.identify(text, NOWHERE)
    const exchanged = failureOf(() => judge.exchange(text, NOWHERE))
    judge.rotate(OTHER_SECRET)
    expect(await exchanged).toBe('bad-token')
  })
})
