import { encoded, type Fields, FORM, signed } from '../../protocol/sms/calls.ts'
import { SMS_KEY } from '../../protocol/sms/service.ts'
import type { Answer, HttpsClient } from '../../support/https-server.ts'
import { PUSH_VECTOR } from '../../system/sms/good-calls.ts'
import { type Documented, parametersOf } from './document.ts'

/** A request of a call about text messages. */
export interface SmsRequest {
  readonly fields: Fields
  /** Text of its JSON, where it has any. */
  readonly body?: string
}

type Examples = Readonly<Record<string, { readonly value: unknown }>>

/** What goes into the parameters of each path before it is signed. Those of the time are added. */
const good: Readonly<Record<string, Fields>> = {
  '/api/v1/{app}/status': { rrid: 'e97539af58f44a0092' },
  '/api/v1/{app}/send': { rrid: 'e97539af58f44a0092' },
  '/api/v1/{app}/batch/record': { mobiles: '["13800138000"]' },
  '/api/v1/{app}/dlr': { rrid: 'e97539af58f44a0092', mobile: '13800138000', stat: 'DELIVRD' },
}

/** What a path of the document is asked before it is signed. */
export function unsignedSmsRequest(path: string): SmsRequest {
  const fields = { ...good[path], timestamp: String(Date.now()) }
  return path.endsWith('/report') ? { fields, body: PUSH_VECTOR } : { fields }
}

/** Signs a request: its body, where it has one, as a parameter. */
export function signedSmsRequest({ fields, body }: SmsRequest, key: string = SMS_KEY): SmsRequest {
  if (body === undefined) return { fields: signed(fields, key) }
  const { body: _, ...rest } = signed({ ...fields, body }, key)
  return { fields: rest, body }
}

/** A request that a path of the document answers with a success now. */
export function goodSmsRequest(path: string): SmsRequest {
  return signedSmsRequest(unsignedSmsRequest(path))
}

/** The requests the document shows of an operation: examples of one name go together. */
export function shownSmsRequests({ operation }: Documented): Readonly<Record<string, SmsRequest>> {
  const requests: Record<string, { fields: Record<string, string>; body?: string }> = {}
  const named = (name: string) => {
    requests[name] ??= { fields: {} }
    return requests[name]
  }
  for (const parameter of parametersOf(operation).filter((known) => known.in === 'query')) {
    for (const [name, { value }] of Object.entries((parameter.examples ?? {}) as Examples)) {
      if (value !== '') named(name).fields[parameter.name] = value as string
    }
  }
  const body = operation.requestBody as { content: Record<string, { examples: Examples }> } | undefined
  for (const [type, { examples }] of Object.entries(body?.content ?? {})) {
    for (const [name, { value }] of Object.entries(examples)) {
      if (type === 'application/json') named(name).body = JSON.stringify(value)
      else Object.assign(named(name).fields, value)
    }
  }
  return requests
}

/** How a request is sent otherwise than the document says. */
export interface SmsDetour {
  readonly app?: string
  /** Stands behind the encoded parameters. */
  readonly behind?: string
}

/** The URL path and what `fetch` needs for a request of an operation. */
export function smsCallOf(
  { method, path }: Pick<Documented, 'method' | 'path'>,
  { fields, body }: SmsRequest,
  { app = 'app', behind = '' }: SmsDetour = {},
): { readonly target: string; readonly body?: string; readonly headers?: Readonly<Record<string, string>> } {
  const named = path.replace('{app}', app)
  const text = encoded(fields) + behind
  if (method !== 'POST') return { target: `${named}?${text}` }
  if (path.endsWith('/report')) return { target: `${named}?${text}`, ...(body === undefined ? {} : { body }) }
  return { target: named, body: text, headers: FORM }
}

export function sendSms(
  server: HttpsClient,
  documented: Pick<Documented, 'method' | 'path'>,
  request: SmsRequest,
  detour?: SmsDetour,
): Promise<Answer> {
  const { target, ...options } = smsCallOf(documented, request, detour)
  return server.call(documented.method, target, options)
}
