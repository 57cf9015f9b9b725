import { expect, test } from 'bun:test'
import { bytesOfText, packetsIn, payloadInSteps } from '../../../src/http/sdk/wilddog/payload.ts'
import { drain } from '../../../src/scheduling/steps.ts'

test.each([
  ['text', ['2', '4abc'], '1:24:4abc'],
  ['text', ['4€'], '4:4\u00e2\u0082\u00ac'],
  ['script', ['4"<\n'], '4:4\\"\\u003c\\n'],
  ['binary', ['2', '4€'], '\u0000\u0001\ufffd2\u0000\u0004\ufffd4€'],
] as const)('%s: %j is written', (form, packets, expected) => {
  expect(Buffer.from(drain(payloadInSteps(packets, form))).toString('utf8')).toBe(expected)
})

/** Texts whose characters lie on the ends of steps, whatever their first one is. */
const LONG = ['a', 'ab', 'abc', 'abcd'].map((start) => start + '🐕€é'.repeat(100_000))

test('long packets come back as they were', () => {
  expect([...packetsIn(drain(payloadInSteps(LONG, 'binary')), true)]).toEqual(LONG)
  expect([...packetsIn(drain(bytesOfText(drain(payloadInSteps(LONG, 'text')))), false)]).toEqual(LONG)
})

test('no step is long', () => {
  const long = `4${'x'.repeat(8_000_000)}`
  const steps = payloadInSteps([long], 'text')
  let count = 0
  while (!steps.next().done) count++
  expect(count).toBeGreaterThan(200)
})
