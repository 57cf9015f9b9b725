import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isSignature, signatureOf, signedText } from '../../../src/sms/model/signature.ts'

const KEY = 'demo-sms-key-0123456789abcdef'
const PUSHED =
  '{"type":1,"data":[{"status":"Success","deliveryStatus":"DELIVRD","mobile":"13800138000",' +
  '"rrid":"e97539af58f44a0092","receiveTime":"2017-04-20 16:09:05"}]}'
const TIMESTAMP = ['timestamp', '1492675740231'] as const
const SIGNATURE = '7d4f66d52f7a2cc312d13db17a39921a913873819e4ebe782c8e2b9d7b38e0fa'

const openssl = Bun.which('openssl')
const withOpenssl = `openssl comes to the same${openssl === null ? ' (skipped: no openssl)' : ''}`

/** Parameters of any name and value; each name once, whatever its case. */
const parameters = fc.uniqueArray(fc.tuple(fc.string(), fc.string({ unit: 'grapheme' })), {
  selector: ([name]) => name,
  minLength: 1,
  maxLength: 6,
})

/** The text that is hashed, key and all. */
function hashed(signed: readonly (readonly [string, string])[]): string {
  return `${signedText(signed)}&${KEY}`
}

test.each([
  ['a batch query', [TIMESTAMP], 'timestamp=1492675740231', SIGNATURE],
  [
    'a query by rrid',
    [['rrid', 'e97539af58f44a0092']],
    'rrid=e97539af58f44a0092',
    'd94a6b8560f8ab7178ad7b42283800918c5296bf2690705e5469322d0fc04fd8',
  ],
  [
    'names from A to Z',
    [TIMESTAMP, ['templateId', '100000'], ['mobile', '13800138000']],
    'mobile=13800138000&templateId=100000&timestamp=1492675740231',
    '159dd5bcc9beef1d8e4ee309d957b3bc701a93c68a9b994f19da40a4a4fff848',
  ],
  [
    'raw Chinese text',
    [
      ['params', '["小王","123456"]'],
      TIMESTAMP,
      ['templateId', '100001'],
      ['mobiles', '["13800138000","13900139000"]'],
    ],
    'mobiles=["13800138000","13900139000"]&params=["小王","123456"]&templateId=100001&timestamp=1492675740231',
    'f1cdc059353dae18bf449714165cd69ee14efedbe4c949bffb9b4ad81763dfa0',
  ],
  [
    'a body of reports',
    [TIMESTAMP, ['body', PUSHED]],
    `body=${PUSHED}&timestamp=1492675740231`,
    'd45715a0f6e806c3e106cbf613e474af2a31e4bba388408cd42be0c803b97fee',
  ],
] as const)('%s', (_, signed, text, signature) => {
  expect(signedText(signed)).toBe(text)
  expect(signatureOf(signed, KEY)).toBe(signature)
  expect(signatureOf(new Map(signed), KEY)).toBe(signature)
})

test.each([
  ['nothing', [], ''],
  ['an empty value', [['a', '']], 'a='],
  ['the signature is left out', [['signature', 'x'], TIMESTAMP], 'timestamp=1492675740231'],
  ['another case of it is not', [['Signature', 'x'], TIMESTAMP], 'Signature=x&timestamp=1492675740231'],
  ['nothing else is left out', [['token', 't'], ['source', 's']], 'source=s&token=t'], // biome-ignore format: a row
  ['sorted without case', [['b', '1'], ['C', '2'], ['A', '3']], 'A=3&b=1&C=2'], // biome-ignore format: a row
  ['names that differ in case', [['a', '1'], ['A', '2']], 'A=2&a=1'], // biome-ignore format: a row
  ['a beginning comes first', [['ab', '1'], ['a', '2']], 'a=2&ab=1'], // biome-ignore format: a row
  ['an underscore comes before letters', [['ab', '1'], ['a_', '2']], 'a_=2&ab=1'], // biome-ignore format: a row
  ['digits come before letters', [['a', '1'], ['10', '2'], ['9', '3']], '10=2&9=3&a=1'], // biome-ignore format: a row
  ['names of objects', [['toString', '1'], ['__proto__', '2']], '__proto__=2&toString=1'], // biome-ignore format: a row
  ['separators stay as they are', [['a', '1&b=2%20+']], 'a=1&b=2%20+'],
] as const)('text: %s', (_, signed, text) => {
  expect(signedText(signed)).toBe(text)
})

describe('for any parameters', () => {
  test('their order does not matter', () => {
    const shuffled = parameters.chain((signed) =>
      fc.tuple(fc.constant(signed), fc.shuffledSubarray(signed, { minLength: signed.length })),
    )
    fc.assert(
      fc.property(shuffled, ([signed, other]) => {
        expect(signatureOf(other, KEY)).toBe(signatureOf(signed, KEY))
      }),
    )
  })

  test('one other character makes another signature', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.nat(),
        fc.constantFrom('a', '小', '😀', '\u0000'),
        (value, at, other) => {
          const place = at % value.length
          const changed = value.slice(0, place) + other + value.slice(place + 1)
          fc.pre(changed !== value)
          expect(signatureOf([['a', changed]], KEY)).not.toBe(signatureOf([['a', value]], KEY))
          expect(signatureOf([['a', '1']], changed)).not.toBe(signatureOf([['a', '1']], value))
        },
      ),
    )
  })

  test.skipIf(openssl === null)(withOpenssl, () => {
    fc.assert(
      fc.property(parameters, (signed) => {
        const { stdout } = Bun.spawnSync(['openssl', 'dgst', '-sha256', '-r'], { stdin: Buffer.from(hashed(signed)) })
        expect(signatureOf(signed, KEY)).toBe(stdout.toString().slice(0, 64))
      }),
      { numRuns: 20 },
    )
  })
})

test.each([
  ['the same', SIGNATURE, true],
  ['in upper case', SIGNATURE.toUpperCase(), true],
  ['another digit at the end', `${SIGNATURE.slice(0, -1)}b`, false],
  ['another digit at the beginning', `8${SIGNATURE.slice(1)}`, false],
  ['too short', SIGNATURE.slice(1), false],
  ['too long', `${SIGNATURE}0`, false],
  ['with a line break', `${SIGNATURE}\n`, false],
  ['no hex digits', SIGNATURE.replace('7d', 'zz'), false],
  ['full-width digits', SIGNATURE.replace('7', '７'), false],
  ['empty', '', false],
] as const)('a signature that is %s', (_, shown, right) => {
  expect(isSignature(shown, SIGNATURE)).toBe(right)
})

test('two texts that are no signatures are not the same one', () => {
  expect(isSignature('', '')).toBe(false)
  expect(isSignature('zz', 'zz')).toBe(false)
})
