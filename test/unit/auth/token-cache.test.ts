import { expect, test } from 'bun:test'
import { TokenCache, type VerifiedToken } from '../../../src/auth/token-cache.ts'

const NOW = 1000

function verified(expiresAt = NOW + 1): VerifiedToken {
  return { kind: 'custom', caller: { kind: 'user', auth: null, expiresAt } }
}

/** Which of these texts are known, found without making any of them more used than the others. */
function known(cache: TokenCache, texts: readonly string[]): string[] {
  return texts.filter((text) => cache.get(text, NOW) !== undefined)
}

test('keeps so many tokens; what was not used for the longest time goes first', () => {
  const cache = new TokenCache({ maxTokens: 3, maxLength: 1000 })
  for (const text of ['a', 'b', 'c']) cache.set(text, verified())
  cache.get('a', NOW)
  cache.set('d', verified())
  expect(known(cache, ['a', 'b', 'c', 'd'])).toEqual(['a', 'c', 'd'])
})

test('keeps so many characters', () => {
  const cache = new TokenCache({ maxTokens: 100, maxLength: 10 })
  for (const text of ['aaaa', 'bbbb', 'cc']) cache.set(text, verified())
  expect(known(cache, ['aaaa', 'bbbb', 'cc'])).toEqual(['aaaa', 'bbbb', 'cc'])
  cache.set('ddddd', verified())
  expect(known(cache, ['aaaa', 'bbbb', 'cc', 'ddddd'])).toEqual(['cc', 'ddddd'])
})

test('the same token takes its room once', () => {
  const cache = new TokenCache({ maxTokens: 2, maxLength: 10 })
  for (let time = 0; time < 5; time++) cache.set('aaaaa', verified())
  cache.set('bbbbb', verified())
  expect(known(cache, ['aaaaa', 'bbbbb'])).toEqual(['aaaaa', 'bbbbb'])
})

test('a token longer than all the room drives nothing out', () => {
  const cache = new TokenCache({ maxTokens: 2, maxLength: 4 })
  cache.set('aa', verified())
  cache.set('bbbbb', verified())
  expect(known(cache, ['aa', 'bbbbb'])).toEqual(['aa'])
})

test('an expired one is gone and gives its room back', () => {
  const cache = new TokenCache({ maxTokens: 2, maxLength: 4 })
  cache.set('aa', verified(NOW))
  cache.set('bb', verified())
  expect(cache.get('aa', NOW - 1)).toBeDefined()
  expect(cache.get('aa', NOW)).toBeUndefined()
  expect(cache.get('aa', NOW - 1)).toBeUndefined()
  cache.set('cc', verified())
  expect(known(cache, ['bb', 'cc'])).toEqual(['bb', 'cc'])
})
