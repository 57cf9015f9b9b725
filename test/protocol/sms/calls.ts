import { expect } from 'bun:test'
import { createHash } from 'node:crypto'
import type { Answer } from '../../support/https-server.ts'
import type { Call } from '../rest/interpreter.ts'
import { SMS_KEY } from './service.ts'

/** Parameters of a call by name. */
export type Fields = Readonly<Record<string, string>>

/** How parameters travel. */
export type Way = 'query' | 'form'

/** A status as it is answered. */
export interface Status {
  readonly status: number
  readonly mobile: string
  readonly receiveTime: string
  readonly rrid: string
  readonly deliveryStatus: string
}

/** What became of reports. */
export interface Counts {
  readonly accepted: number
  readonly ignored: number
}

/** One element of a push. */
export interface Pushed {
  readonly status: 'Success' | 'Failure'
  readonly deliveryStatus: string
  readonly mobile: string
  readonly rrid: string
  readonly receiveTime: string
}

export const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
export const JSON_TYPE = 'application/json; charset=utf-8'

/** The public rule, written down a second time. */
export function signatureOf(fields: Fields, key: string = SMS_KEY): string {
  const sorted = Object.entries(fields)
    .filter(([name]) => name !== 'signature')
    .map(([name, value]) => ({ name: name.toLowerCase(), pair: `${name}=${value}` }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
  const text = [...sorted.map(({ pair }) => pair), key].join('&')
  return createHash('sha256').update(text).digest('hex')
}

export function signed(fields: Fields, key: string = SMS_KEY): Fields {
  return { ...fields, signature: signatureOf(fields, key) }
}

/** Fields as the query of a URL, or as a form. */
export function encoded(fields: Fields): string {
  return new URLSearchParams({ ...fields }).toString()
}

/** Now, as calls tell it. */
export function timestamp(): string {
  return String(Date.now())
}

let names = 0

/** An rrid that nobody else has. */
export function freshRrid(): string {
  return `batch-${names++}`
}

/** Numbers of telephones, each another one. */
export function mobiles(count: number, first = 0): readonly string[] {
  return Array.from({ length: count }, (_, at) => String(13_800_000_000 + first + at))
}

/** A push of one report and what is good enough for most of them. */
export function pushed(rrid: string, mobile: string, code = 'DELIVRD', more: Partial<Pushed> = {}): Pushed {
  const status = code === 'DELIVRD' ? 'Success' : 'Failure'
  return { status, deliveryStatus: code, mobile, rrid, receiveTime: '2017-04-20 16:09:05', ...more }
}

/** Who speaks for one application, and expects to be understood. */
export class SmsClient {
  readonly #call: Call
  readonly app: string
  readonly key: string

  constructor(call: Call, app = 'app', key: string = SMS_KEY) {
    this.#call = call
    this.app = app
    this.key = key
  }

  /** Sends parameters as they are. @param path behind the name of the application: `v1/status` */
  send(method: string, path: string, fields: Fields, way: Way = 'query'): Promise<Answer> {
    const [version, ...rest] = path.split('/')
    const target = `/api/${version}/${this.app}/${rest.join('/')}`
    if (way === 'query') return this.#call(method, `${target}?${encoded(fields)}`)
    return this.#call(method, target, { headers: FORM, body: encoded(fields) })
  }

  /** Sends parameters, signed, with the time if they need one. */
  sendSigned(method: string, path: string, fields: Fields, way?: Way): Promise<Answer> {
    return this.send(method, path, signed(fields, this.key), way)
  }

  /** @returns the answer to a push of any body */
  push(body: string, more: Fields = {}): Promise<Answer> {
    const { body: _, ...fields } = signed({ timestamp: timestamp(), ...more, body }, this.key)
    return this.#call('POST', `/api/v1/${this.app}/report?${encoded(fields)}`, { body })
  }

  /** The answer to a batch of any kind. */
  batch(fields: Fields): Promise<Answer> {
    return this.sendSigned('POST', 'v1/batch/record', { timestamp: timestamp(), ...fields }, 'form')
  }

  async record(numbers: readonly string[], more: Fields = {}): Promise<string> {
    const data = dataOf(await this.batch({ mobiles: JSON.stringify(numbers), ...more }))
    return (data as { rrid: string }).rrid
  }

  async report(...reports: readonly Pushed[]): Promise<Counts> {
    return dataOf(await this.push(JSON.stringify({ type: 1, data: reports }))) as Counts
  }

  async dlr(fields: Fields, method = 'GET', way?: Way): Promise<Counts> {
    return dataOf(await this.sendSigned(method, 'v1/dlr', { timestamp: timestamp(), ...fields }, way)) as Counts
  }

  /** All of a batch. */
  async statuses(rrid: string): Promise<readonly Status[]> {
    return dataOf(await this.sendSigned('GET', 'v1/status', { rrid })) as readonly Status[]
  }

  /** The answer to a query of the news. */
  news(): Promise<Answer> {
    return this.sendSigned('GET', 'v2/status', { timestamp: timestamp() })
  }

  /** What is final and has not been told. */
  async fresh(): Promise<readonly Status[]> {
    return dataOf(await this.news()) as readonly Status[]
  }
}

/** `data` of a success. */
export function dataOf({ status, headers, text }: Answer): unknown {
  expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' })
  expect(headers.get('content-type')).toBe(JSON_TYPE)
  const { status: word, data, ...rest } = JSON.parse(text) as { status: string; data: unknown }
  expect([word, rest]).toEqual(['ok', {}])
  return data
}
