import { expect } from 'bun:test'
import type { Answer } from '../../support/https-server.ts'
import { JSON_TYPE } from './calls.ts'

/** A row of the table of errors, written down a second time. */
export interface Refusal {
  readonly status: number
  readonly errcode: number
  readonly message: string
}

function row(status: number, errcode: number, message: string): Refusal {
  return { status, errcode, message }
}

export const refusals = {
  app: row(404, 70001, 'invalid appId'),
  arguments: row(400, 70002, 'invalid arguments'),
  notOffered: row(404, 70002, 'invalid arguments'),
  noMobiles: row(400, 70201, 'sms phones empty'),
  tooManyMobiles: row(400, 70202, 'sms phones exceeded max number(100)'),
  timestamp: row(400, 70203, 'sms send invalid timestamp'),
  noSignature: row(400, 70206, 'sms params signature empty'),
  signature: row(401, 70207, 'sms params signature invalid'),
  unavailable: row(503, 70210, 'sms status query failure'),
  mobile: row(400, 70214, 'sms phone format invalid'),
  array: row(400, 70220, 'sms params array format invalid'),
  tooOften: row(429, 70304, 'exceeded max api call frequency'),
  method: row(405, 20201, 'Invalid parameters'),
} as const satisfies Record<string, Refusal>

/** Seconds after which a client should try again, by status. */
const RETRY_AFTER: Readonly<Record<number, string>> = { 429: '1', 503: '2' }

/** @param hint what the member `error` must say. Default: anything */
export function expectRefusal(answer: Answer, refusal: Refusal, hint: RegExp = /./): void {
  const { status, headers, text } = answer
  expect(headers.get('content-type')).toBe(JSON_TYPE)
  const { errcode, message, error, ...rest } = JSON.parse(text) as Record<string, unknown>
  expect<unknown>({ status, errcode, message, rest }).toEqual({ ...refusal, rest: {} })
  expect(error).toMatch(hint)
  expect(headers.get('retry-after')).toBe(RETRY_AFTER[refusal.status] ?? null)
  if (refusal.status !== 405) expect(headers.get('allow')).toBeNull()
  expect(headers.get('cache-control')).toBe('no-cache')
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
}
