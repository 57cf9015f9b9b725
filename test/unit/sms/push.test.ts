import { describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import fc from 'fast-check'
import { DholeError } from '../../../src/error.ts'
import { drain } from '../../../src/scheduling/steps.ts'
import { pushSchema, parsePush as readPush } from '../../../src/sms/format/push.ts'
import { ReceiveTime } from '../../../src/sms/format/receive-time.ts'
import { CARRIER_CODES } from '../../../src/sms/model/carrier-codes.ts'
import type { Report } from '../../../src/sms/model/report.ts'

const time = new ReceiveTime('+08:00')
const MESSAGE = { mobile: '13800138000', rrid: 'e97539af58f44a0092' }
const GOOD = { status: 'Success', deliveryStatus: 'DELIVRD', ...MESSAGE, receiveTime: '2017-04-20 16:09:05' }
const AT = Date.UTC(2017, 3, 20, 8, 9, 5)
const WRONG_STATUS = 'status: expected "Success" or "Failure"'
const WRONG_TIME = 'receiveTime: expected YYYY-MM-DD HH:MM:SS'
const WRONG_CODE = 'deliveryStatus: expected 1 to 64 printable ASCII characters'
const WRONG_MOBILE = 'mobile: expected a string of 1 to 64 characters'
const WRONG_RRID = 'rrid: expected 1 to 64 letters, digits, - or _'
const WRONG_NUMBER = 'data: expected 1 to 10000 reports'
const WRONG_BODY = 'body: expected an object with type and data'

function push(...data: unknown[]): string {
  return JSON.stringify({ type: 1, data })
}

function parsePush(body: string, zone: ReceiveTime): readonly Report[] {
  return drain(readPush(JSON.parse(body), zone))
}

/** What is said of a body; `undefined` when nothing is wrong with it. */
function hint(body: string): string | undefined {
  try {
    parsePush(body, time)
    return undefined
  } catch (error) {
    if (!(error instanceof DholeError)) throw error
    expect(error.code).toBe('sms-bad-arguments')
    return error.message
  }
}

test('a report', () => {
  expect(parsePush(push(GOOD), time)).toEqual([{ message: MESSAGE, state: 2, code: 'DELIVRD', receivedAt: AT }])
})

test('is read in the zone of the application', () => {
  const [report] = parsePush(push(GOOD), new ReceiveTime('America/New_York'))
  expect(report?.receivedAt).toBe(Date.UTC(2017, 3, 20, 20, 9, 5))
})

test('reports keep their order, those of one message too', () => {
  const codes = ['ENROUTE', 'DELIVRD', 'ACCEPTD', 'DELIVRD']
  const reports = parsePush(push(...codes.map((deliveryStatus) => ({ ...GOOD, deliveryStatus }))), time)
  expect(reports.map(({ code }) => code)).toEqual(codes)
})

describe('states', () => {
  test.each([
    ['DELIVRD', 'Success', 2],
    ['ENROUTE', 'Success', 1],
    ['ENROUTE', 'Failure', 1],
    ['BUFFRED', 'Failure', 1],
    ['UNDELIV', 'Failure', 3],
    ['MY:0001', 'Failure', 3],
    ['MY:4711', 'Failure', 3],
    ['DB:Black', 'Failure', 3],
    ['0', 'Success', 2],
    ['000', 'Failure', 3],
    ['toString', 'Success', 2],
  ] as const)('%s with %s leads to %p', (deliveryStatus, status, state) => {
    const [report] = parsePush(push({ ...GOOD, status, deliveryStatus }), time)
    expect(report).toMatchObject({ state, code: deliveryStatus })
  })

  test('a known final code does not go with the opposite status', () => {
    for (const { code, status } of CARRIER_CODES) {
      const opposite = { ...GOOD, deliveryStatus: code, status: status === 2 ? 'Failure' : 'Success' }
      expect([code, hint(push(opposite))]).toEqual([
        code,
        status === 1 ? undefined : 'data/0/status: contradicts deliveryStatus',
      ])
    }
  })
})

test.each([
  ['{}', 'type: expected 1'],
  ['null', WRONG_BODY],
  ['[]', WRONG_BODY],
  ['"text"', WRONG_BODY],
  [JSON.stringify({ type: 2, data: [GOOD] }), 'type: expected 1'],
  [JSON.stringify({ type: '1', data: [GOOD] }), 'type: expected 1'],
  [JSON.stringify({ data: [GOOD] }), 'type: expected 1'],
  [JSON.stringify({ type: 1 }), WRONG_NUMBER],
  [JSON.stringify({ type: 1, data: GOOD }), WRONG_NUMBER],
  [push(), WRONG_NUMBER],
] as const)('%.60s', (body, expected) => {
  expect(hint(body)).toBe(expected)
})

test.each([
  [null, 'expected an object'],
  ['text', 'expected an object'],
  [[GOOD], 'expected an object'],
  [{}, WRONG_STATUS],
  [{ ...GOOD, status: 'success' }, WRONG_STATUS],
  [{ ...GOOD, status: 2 }, WRONG_STATUS],
  [{ ...GOOD, deliveryStatus: undefined }, WRONG_CODE],
  [{ ...GOOD, deliveryStatus: '' }, WRONG_CODE],
  [{ ...GOOD, deliveryStatus: 'X'.repeat(65) }, WRONG_CODE],
  [{ ...GOOD, deliveryStatus: '成功' }, WRONG_CODE],
  [{ ...GOOD, deliveryStatus: 'A\n' }, WRONG_CODE],
  [{ ...GOOD, mobile: 13800138000 }, WRONG_MOBILE],
  [{ ...GOOD, mobile: '' }, WRONG_MOBILE],
  [{ ...GOOD, mobile: '1'.repeat(65) }, WRONG_MOBILE],
  [{ ...GOOD, rrid: '' }, WRONG_RRID],
  [{ ...GOOD, rrid: 'a b' }, WRONG_RRID],
  [{ ...GOOD, rrid: null }, WRONG_RRID],
  [{ ...GOOD, receiveTime: 1492675740231 }, WRONG_TIME],
  [{ ...GOOD, receiveTime: '' }, WRONG_TIME],
  [{ ...GOOD, receiveTime: '2017-02-29 00:00:00' }, WRONG_TIME],
  [{ ...GOOD, receiveTime: '2017-04-20T16:09:05' }, WRONG_TIME],
] as const)('a wrong element %j', (element, expected) => {
  const place = expected === 'expected an object' ? 'data/3' : 'data/3/'
  const separator = place === 'data/3' ? ': ' : ''
  expect(hint(push(GOOD, GOOD, GOOD, element))).toBe(`${place}${separator}${expected}`)
})

test('the first wrong element is named', () => {
  const data = Array.from({ length: 10_000 }, (_, index): unknown => (index >= 9998 ? { ...GOOD, rrid: '' } : GOOD))
  expect(hint(push(...data))).toBe(`data/9998/${WRONG_RRID}`)
})

test('ten thousand reports are taken, one more is not', () => {
  const data = Array.from({ length: 10_000 }, (_, index) => ({ ...GOOD, mobile: `${13800000000 + index}` }))
  expect(parsePush(push(...data), time)).toHaveLength(10_000)
  expect(hint(push(...data, GOOD))).toBe(WRONG_NUMBER)
})

test('members that nobody knows are ignored', () => {
  const body = JSON.stringify({ type: 1, id: 'x', data: [{ ...GOOD, fee: 1 }] })
  expect(parsePush(body, time)).toHaveLength(1)
  expect(parsePush(push(GOOD).replace('{"status"', '{"__proto__":{"rrid":1},"status"'), time)).toHaveLength(1)
})

test('what stands in a wrong element is not repeated', () => {
  expect(hint(push({ ...GOOD, mobile: '13800138000'.repeat(9) }))).not.toContain('13800138000')
})

test('whatever comes, it is read as the schema says or refused', () => {
  const member = fc.oneof(fc.constantFrom(...Object.values(GOOD)), fc.string(), fc.integer(), fc.constant(null))
  const element = fc.record(
    { status: member, deliveryStatus: member, mobile: member, rrid: member, receiveTime: member },
    { requiredKeys: [] },
  )
  const near = fc.record({ type: fc.constantFrom(1, 1, 2, '1'), data: fc.array(fc.oneof(element, fc.constant(GOOD))) })
  fc.assert(
    fc.property(fc.oneof(near, fc.jsonValue()), (json) => {
      const refused = hint(JSON.stringify(json))
      if (!Value.Check(pushSchema, json)) expect(refused).toBeString()
      else if (refused !== undefined) expect(refused).toMatch(/^data\/\d+\/(receiveTime|status): /)
    }),
    { numRuns: 500 },
  )
})
