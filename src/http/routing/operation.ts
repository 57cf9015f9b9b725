import type { Operation } from '../../observer.ts'
import { isDocument } from '../docs/docs.ts'
import { acceptsStream } from '../request/accept.ts'
import { type Method, methodOf } from '../request/method.ts'
import { isSettings } from '../rest/settings-routes.ts'
import { isTokenExchange } from '../rest/token-route.ts'
import { isSms } from '../sms/sms-routes.ts'
import { isSystem } from '../system/system-routes.ts'
import type { Target } from '../url/target.ts'

const SUFFIX_OF_TREE = '.json'
const NAME_OF_SMS = /^\/api\/(v[12])\/[^/]*\/(.*)$/s

/** Calls about text messages, those of `/send` with what they stand for. */
const SMS: Readonly<Partial<Record<string, Operation>>> = {
  'v2/status': 'sms-status',
  'v2/send': 'sms-status',
  'v1/status': 'sms-batch',
  'v1/send': 'sms-batch',
  'v1/batch/record': 'sms-record',
  'v1/report': 'sms-report',
  'v1/dlr': 'sms-dlr',
}

const WRITES: Readonly<Record<Exclude<Method, 'GET'>, Operation>> = {
  PUT: 'put',
  POST: 'post',
  PATCH: 'patch',
  DELETE: 'delete',
}

/**
 * What a request was for, be it answered or refused.
 * @param target `undefined` where it is none below the mount point
 * @param mayStream whether its answer can be a stream, or a refusal of one: to look for that costs
 */
export function operationOf(request: Request, target: Target | undefined, mayStream: boolean): Operation {
  if (target === undefined) return 'other'
  if (request.method === 'OPTIONS') return 'options'
  const { rawPath } = target
  if (!rawPath.endsWith(SUFFIX_OF_TREE)) return besideTree(rawPath)
  if (isSettings(rawPath)) return 'settings'
  if (isTokenExchange(rawPath)) return 'token'
  return ofTree(request, target, mayStream)
}

function besideTree(rawPath: string): Operation {
  if (isSystem(rawPath)) return 'system'
  if (isDocument(rawPath)) return 'docs'
  if (!isSms(rawPath)) return 'other'
  const [, version = '', name = ''] = NAME_OF_SMS.exec(rawPath) ?? []
  return (Object.hasOwn(SMS, `${version}/${name}`) ? SMS[`${version}/${name}`] : undefined) ?? 'sms-other'
}

function ofTree(request: Request, { raw: { values, filters } }: Target, mayStream: boolean): Operation {
  const sent = request.method
  const method = sent === 'GET' ? sent : methodMeant(request, values)
  if (method === undefined) return 'other'
  if (method !== 'GET') return WRITES[method]
  if (mayStream && sent === 'GET' && acceptsStream(request.headers.get('accept'))) return 'stream'
  if (values['count'] === 'true') return 'count'
  if (values['shallow'] === 'true') return 'shallow'
  return filters ? 'query' : 'get'
}

/** `undefined` where it is none of the tree's. */
function methodMeant(request: Request, values: Target['raw']['values']): Method | undefined {
  try {
    return methodOf(request, { values, repeated: undefined, filters: false })
  } catch {
    return undefined
  }
}
