import { expect, test } from 'bun:test'
import { CARRIER_CODES, isCode, stateOf } from '../../../src/sms/model/carrier-codes.ts'
import table from './carrier-codes.json'

test('every code has its state and its meaning, to the letter', () => {
  expect(CARRIER_CODES.map(({ code, meaning }) => [code, meaning])).toEqual([...table.wilddog, ...table.smpp])
  for (const { code, status } of CARRIER_CODES) expect([code, stateOf(code)]).toEqual([code, status])
})

test('each code once', () => {
  expect(new Set(CARRIER_CODES.map(({ code }) => code)).size).toBe(CARRIER_CODES.length)
})

test.each([
  ['DELIVRD', 2],
  ['ENROUTE', 1],
  ['ACCEPTD', 1],
  ['BUFFRED', 1],
  ['EXPIRED', 3],
  ['DELETED', 3],
  ['UNDELIV', 3],
  ['REJECTD', 3],
  ['UNKNOWN', 3],
  ['MY:0001', 3],
  ['MY:9998', 3],
  ['MY:', 3],
  ['DB:Black', 3],
  ['DB:White', 3],
  ['XX:0001', undefined],
  ['MY0001', undefined],
  ['my:0001', undefined],
  ['delivrd', undefined],
  ['DELIVRD ', undefined],
  ['', undefined],
  ['constructor', undefined],
  ['__proto__', undefined],
] as const)('%p leads to %p', (code, state) => {
  expect(stateOf(code)).toBe(state)
})

test.each([
  ['DELIVRD', true],
  ['MY:0001', true],
  [' ~', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  ['', false],
  ['A\n', false],
  ['A\tB', false],
  ['\u007f', false],
  ['\u0000', false],
  ['é', false],
  ['已送达', false],
] as const)('%j may be a code: %p', (text, right) => {
  expect(isCode(text)).toBe(right)
})
