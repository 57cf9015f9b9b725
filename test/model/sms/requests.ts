import { encoded, type Fields, FORM, type Pushed, signed, timestamp } from '../../protocol/sms/calls.ts'
import { type Name, receiveTime, type Said } from './ledger.ts'
import { CODES, type Naming } from './plan.ts'
import type { WireRequest } from './wire-call.ts'

const FORM_TYPE = FORM['Content-Type']

/** `batch/record`. @param rrid the server makes one without */
export function recordRequest(
  mobiles: readonly string[],
  rrid: string | undefined,
  messageIds: readonly string[],
): WireRequest {
  const fields = {
    mobiles: JSON.stringify(mobiles),
    timestamp: timestamp(),
    ...(rrid === undefined ? {} : { rrid }),
    ...(messageIds.length === 0 ? {} : { messageIds: JSON.stringify(messageIds) }),
  }
  return { method: 'POST', target: '/api/v1/app/batch/record', body: [FORM_TYPE, encoded(signed(fields))] }
}

/** `report`. @param isSpoiled its last report contradicts itself, so that all of it is refused */
export function reportRequest(said: readonly Said[], isSpoiled: boolean): WireRequest {
  const data = said.map(pushedOf)
  const last = data.at(-1)
  if (isSpoiled && last !== undefined) data.push({ ...last, deliveryStatus: 'DELIVRD', status: 'Failure' })
  const body = JSON.stringify({ type: 1, data })
  const { body: _, ...fields } = signed({ timestamp: timestamp(), body })
  return { method: 'POST', target: `/api/v1/app/report?${encoded(fields)}`, body: ['application/json', body] }
}

function pushedOf({ name, code, isSuccess, at }: Said): Pushed {
  if ('messageId' in name) throw new TypeError('a report names a message by its place')
  const known = CODES.get(code)
  const isDelivery = known === undefined || known === 1 ? isSuccess : known === 2
  return { ...name, status: isDelivery ? 'Success' : 'Failure', deliveryStatus: code, receiveTime: receiveTime(at) }
}

/** `dlr`, signed; a receipt comes from a gateway that has a token. */
export function dlrRequest({ name, code, at }: Said, naming: Naming): WireRequest {
  if (naming !== 'receipt' || !('messageId' in name)) {
    return get('v1/dlr', signed({ ...nameFields(name), stat: code, done: String(at), timestamp: timestamp() }))
  }
  const { signature: token = '' } = signed({ source: 'gateway' })
  const done = receiveTime(at).replaceAll(/\D/g, '').slice(2)
  const receipt = `id:${name.messageId} sub:001 dlvrd:001 submit date:2601010000 done date:${done} stat:${code} err:000 text:stat:DELIVRD`
  return { method: 'GET', target: `/api/v1/app/dlr?${encoded({ receipt, source: 'gateway', token })}` }
}

function nameFields(name: Name): Fields {
  return { ...name }
}

/** The query by rrid. */
export function batchRequest(rrid: string): WireRequest {
  return get('v1/status', signed({ rrid }))
}

/** The batch query. */
export function newsRequest(): WireRequest {
  return get('v2/status', signed({ timestamp: timestamp() }))
}

function get(path: string, fields: Fields): WireRequest {
  const [version, name] = path.split('/')
  return { method: 'GET', target: `/api/${version}/app/${name}?${encoded(fields)}` }
}
