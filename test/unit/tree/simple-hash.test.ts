import { describe, expect, test } from 'bun:test'
import { drain } from '../../../src/scheduling/steps.ts'
import { KnownHashes } from '../../../src/tree/hash/known-hashes.ts'
import { textHasHash } from '../../../src/tree/hash/simple-hash.ts'

/** Texts and their hashes, as Firebase's SDKs compute them. */
const vectors: readonly (readonly [text: string, hash: string])[] = [
  ['true', 'E5z61QM0lN/U2WsOnusszCTkR8M='],
  ['false', 'aSSNoqcS4oQwJ2xxH20rvpp3zP0='],
  ['0', '7ysMph9WPitGP7poMnMHMVPtUlI='],
  ['-0', '7ysMph9WPitGP7poMnMHMVPtUlI='],
  ['1', 'YPVfR2bXt/lcDjiQZ8pOkAd3qkQ='],
  ['-1', 'dMw8oUBNk57KCeIcgAKXVS2BfB0='],
  ['1.5', '4MftviR9Z/2MQCMkjh2RNbvlLJc='],
  ['0.1', 'wtQjBi5TBE+ZcdekL6INiSeCSQI='],
  ['1e21', 'rZwDOBGJ9Z0+flzyrCWzeSigSyE='],
  ['5e-324', 'AVzIJwC869iLHq/DQh6bzLDrVO4='],
  ['1234567890123', 'AJGzDh4FKcLOGm05k7+7a//7kV0='],
  ['""', 'Ki0Xy0V6morg0TO3Sxi/jwugYDQ='],
  ['"hello"', 'z6sRbrNLwbHX5fdjpvsTtWgXUFc='],
  ['"päivä 狗 🐕"', 'pNrneA1u+GPGBcDwVMhgfoZHsMc='],
  ['{"a":1}', 'gIphxiFGusLh2VwSNVKSvNu90m4='],
  ['{"a":1,"b":"x"}', 'jRI9dwRS9sb4SWm8uuoN7+xBk4g='],
  ['{"b":"x","a":1}', 'jRI9dwRS9sb4SWm8uuoN7+xBk4g='],
  ['{"9":2,"10":1,"a":3}', 'm2yjQlTp8QU+bhHk6ou4o/HIgZ0='],
  ['[1,2,3]', 'h6XOC3OcidJlNC1Velmi3gphgQk='],
  ['{"0":1,"1":2,"2":3}', 'h6XOC3OcidJlNC1Velmi3gphgQk='],
  ['[null,1]', 'xNf5MrcNJQYgiiyXbUx6Q70QtoY='],
  ['{"a":{"b":{"c":true}}}', 'pmWQZosLZcmOAI2E0uzAv0YR+pY='],
  ['{".value":"v",".priority":5}', 'Tv383fJW0ltIHHUn0jBZXDacXbE='],
  ['{".priority":5,".value":"v"}', 'Tv383fJW0ltIHHUn0jBZXDacXbE='],
  ['{".value":1,".priority":"p"}', 's13vB6y8qX48gxbXkr8YCSDaUwM='],
  ['{".priority":1,"a":1}', '9fOzg9w0PJT6UBOo2FtrMq79FGQ='],
  ['{"a":{".value":1,".priority":2},"b":{".value":2,".priority":1}}', '/3lk7Vfl5OYG6Kw2SkiPXNeExPw='],
  ['{"x":{".priority":"z","k":1},"y":{".priority":3,"k":1},"w":{"k":1}}', 'QUAbH8n7lCOenvWE4kZG4MQh8xM='],
  ['{"0":2,"1":4,"2147483648":5,"-1":1,"01":3,"A":6,"a":7,"é":8}', 'EaIqexU4QeVKHvwRkQ5TWEGmYmk='],
]

describe('the hash of', () => {
  test.each(vectors)('%s', (text, hash) => {
    expect(drain(textHasHash(text, hash))).toBe(true)
    expect(drain(textHasHash(text, vectors[0]?.[0] === text ? 'x' : (vectors[0]?.[1] ?? '')))).toBe(false)
  })

  test.each([undefined, 'null'])('no value is empty: %p', (text) => {
    expect(drain(textHasHash(text, ''))).toBe(true)
    expect(drain(textHasHash(text, 'x'))).toBe(false)
  })

  test('a number beside a power of two is that of either kind of client', () => {
    for (const hash of ['PJmtFwMdaAcDnQ3acc9zgNHNABM=', numberHash('404fffffffffffff')]) {
      expect(drain(textHasHash('63.99999999999999', hash))).toBe(true)
    }
    expect(drain(textHasHash('7.999999999999999', 'pITK737CVleu2Q4bHJTdQ4dJnCg='))).toBe(true)
  })

  test('a text with escapes is that of its characters', () => {
    const text = 'a"b\\c\\\\"\u0001'
    const hash = new Bun.CryptoHasher('sha1').update(`string:${text}`).digest('base64')
    expect(drain(textHasHash(JSON.stringify(text), hash))).toBe(true)
  })

  test('a text in pieces is that of the whole', () => {
    const text = '{"a":1,"b":"x"}'
    const pieces = { pieces: [text.slice(0, 7), text.slice(7)], length: text.length }
    expect(drain(textHasHash(pieces, 'jRI9dwRS9sb4SWm8uuoN7+xBk4g='))).toBe(true)
  })
})

test('known hashes are bounded, and the oldest ones are forgotten first', () => {
  const known = new KnownHashes()
  const hashes = { exact: 'a', javascript: 'b' }
  for (let at = 0; at < 5000; at++) known.set(`name ${at}`, hashes)
  expect(known.get('name 0')).toBeUndefined()
  expect(known.get('name 4999')).toBe(hashes)
  known.set('x'.repeat(4 * 1024 * 1024), hashes)
  expect(known.get('name 4999')).toBeUndefined()
})

function numberHash(bits: string): string {
  return new Bun.CryptoHasher('sha1').update(`number:${bits}`).digest('base64')
}
