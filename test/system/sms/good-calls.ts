import { encoded, type Fields, FORM, type Way } from '../../protocol/sms/calls.ts'
import { SMS_KEY } from '../../protocol/sms/service.ts'
import type { CallOptions } from '../../support/https-server.ts'

/** What makes a call one of its kind. */
type Kind = 'news' | 'batch' | 'taking in'

/** A call that is answered 200, in one of the forms it may have. */
export interface GoodCall {
  readonly name: string
  readonly kind: Kind
  readonly method: 'GET' | 'POST'
  /** Behind the name of the application: `v1/status`. */
  readonly path: string
  readonly way: Way
  /** Parameters without the time and the signature. */
  readonly fields: Fields
  /** Text of a body that is signed and is no form. */
  readonly body?: string
}

/** A batch the calls ask about and report to; it has to be recorded. */
export const BATCH = { rrid: 'e97539af58f44a0092', mobiles: '["13800138000"]', messageIds: '["id-1"]' }

export const PUSH_VECTOR =
  '{"type":1,"data":[{"status":"Success","deliveryStatus":"DELIVRD","mobile":"13800138000","rrid":"e97539af58f44a0092","receiveTime":"2017-04-20 16:09:05"}]}'

const RRID = { rrid: BATCH.rrid }
const DLR = { ...RRID, mobile: '13800138000', stat: 'DELIVRD' }
const BY_ID = { messageId: 'id-1', stat: 'DELIVRD' }
const RECEIPT = {
  receipt: 'id:id-1 sub:001 dlvrd:001 submit date:1704201608 done date:1704201609 stat:DELIVRD err:000 text:hello',
}

function forms(name: string, kind: Kind, path: string, fields: Fields, methods: string): readonly GoodCall[] {
  const get = { name: `GET ${name}`, kind, method: 'GET', path, way: 'query', fields } as const
  const post = { ...get, name: `POST ${name}`, method: 'POST' } as const
  const posts = [post, { ...post, name: `${post.name} (form)`, way: 'form' } as const]
  return methods === 'POST' ? posts : [get, ...posts]
}

/** Every call in all of its forms. */
export const goodCalls: readonly GoodCall[] = [
  ...forms('v2 status', 'news', 'v2/status', {}, 'both'),
  ...forms('v2 send', 'news', 'v2/send', {}, 'POST'),
  ...forms('v1 status', 'batch', 'v1/status', RRID, 'both'),
  ...forms('v1 send', 'batch', 'v1/send', RRID, 'POST'),
  ...forms('batch/record', 'taking in', 'v1/batch/record', BATCH, 'POST'),
  { name: 'report', kind: 'taking in', method: 'POST', path: 'v1/report', way: 'query', fields: {}, body: PUSH_VECTOR },
  ...forms('dlr', 'taking in', 'v1/dlr', DLR, 'both'),
  ...forms('dlr by message id', 'taking in', 'v1/dlr', BY_ID, 'both'),
  ...forms('dlr by receipt', 'taking in', 'v1/dlr', RECEIPT, 'both'),
]

/** A call on its way, before what is wrong with it. */
export interface Draft {
  app: string
  key: string
  /** Parameters but the signature; the time among them where it is needed. */
  readonly fields: Record<string, string>
}

export function draftOf({ kind, fields }: GoodCall): Draft {
  const time = kind === 'batch' ? {} : { timestamp: String(Date.now()) }
  return { app: 'app', key: SMS_KEY, fields: { ...fields, ...time } }
}

/** A request as the clients of the suite send it. */
export interface Request {
  readonly method: string
  readonly target: string
  readonly options: CallOptions
}

/** The request of a draft. @param signature `null`: none */
export function requestOf({ method, path, way, body }: GoodCall, draft: Draft, signature: string | null): Request {
  const [version, ...rest] = path.split('/')
  const target = `/api/${version}/${draft.app}/${rest.join('/')}`
  const fields = encoded(signature === null ? draft.fields : { ...draft.fields, signature })
  if (way === 'form') return { method, target, options: { headers: FORM, body: fields } }
  return { method, target: `${target}?${fields}`, options: body === undefined ? {} : { body } }
}
