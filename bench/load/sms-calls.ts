/** Signed calls about text messages, as a client makes them. */
import { signatureOf } from '../../src/sms/model/signature.ts'

/** Signs every call that is measured. */
export const SMS_KEY = 'sms-key-of-the-benchmarks'

/** A request: GET without a body. */
export interface Call {
  /** Path and query. */
  readonly target: string
  readonly body?: string
  readonly type?: string
}

const API = '/api/v1/app'
const TRUSTING = { rejectUnauthorized: false }
/** What every report here says; the time is in the default zone. */
const REPORTED = { status: 'Success', deliveryStatus: 'DELIVRD', receiveTime: '2026-01-01 12:00:00' }

/** For the messages of a batch. It has no time in it, and can be sent for ever. */
export function batchCall(rrid: string): Call {
  return { target: `${API}/status?${signed({ rrid })}` }
}

/** For final states that nobody has been given. */
export function handoverCall(): Call {
  return { target: `/api/v2/app/status?${signed({ timestamp: now() })}` }
}

/** Records a batch. Good for a minute, like all that follow. */
export function recordCall(rrid: string, mobiles: readonly string[]): Call {
  const body = signed({ rrid, mobiles: JSON.stringify(mobiles), timestamp: now() })
  return { target: `${API}/batch/record`, body, type: 'application/x-www-form-urlencoded' }
}

/** Reports messages delivered. @param messages rrid and telephone number of each */
export function reportCall(messages: readonly (readonly [rrid: string, mobile: string])[]): Call {
  const data = messages.map(([rrid, mobile]) => ({ ...REPORTED, mobile, rrid }))
  const body = JSON.stringify({ type: 1, data })
  const timestamp = now()
  const signature = signatureOf(Object.entries({ body, timestamp }), SMS_KEY)
  return { target: `${API}/report?timestamp=${timestamp}&signature=${signature}`, body, type: 'application/json' }
}

/** @throws unless it is answered with 200 */
export async function send(url: string, { target, body, type }: Call): Promise<string> {
  const init = body === undefined ? {} : { method: 'POST', body, headers: { 'Content-Type': type ?? '' } }
  const response = await fetch(url + target, { ...init, tls: TRUSTING })
  const text = await response.text()
  if (!response.ok) throw new Error(`${target}: ${response.status} ${text}`)
  return text
}

/** @throws unless every report is news to the service */
export async function report(url: string, call: Call, count: number): Promise<void> {
  const answer = await send(url, call)
  const expected = JSON.stringify({ status: 'ok', data: { accepted: count, ignored: 0 } })
  if (answer !== expected) throw new Error(`reports were answered ${answer}`)
}

function signed(parameters: Readonly<Record<string, string>>): string {
  const signature = signatureOf(Object.entries(parameters), SMS_KEY)
  return new URLSearchParams({ ...parameters, signature }).toString()
}

function now(): string {
  return String(Date.now())
}
