import type { Operation } from '../../observer.ts'
import { OPERATIONS_PATH } from '../admin/operation-route.ts'
import type { Exchange } from '../exchange.ts'
import { acceptsStream, type Method, methodOf } from '../request/headers.ts'

const SUFFIX = '.json'

const WRITES: Readonly<Record<Exclude<Method, 'GET'>, Operation>> = {
  PUT: 'put',
  POST: 'post',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** Operation of a request to a path that has to end in `.json`. */
export function jsonOperation(operation: Operation): (exchange: Exchange) => Operation {
  return ({ target }) => (target.rawPath.endsWith(SUFFIX) ? operation : 'other')
}

/** Operation of a request to a node. */
export function nodeOperation(exchange: Exchange, mayStream: boolean): Operation {
  const { method: sent, request, target } = exchange
  if (!target.rawPath.endsWith(SUFFIX)) return 'other'
  const { values, filters } = target.raw
  const method = sent === 'GET' ? sent : methodMeant(exchange)
  if (method === undefined) return 'other'
  if (method !== 'GET') return WRITES[method]
  if (mayStream && sent === 'GET' && acceptsStream(request.headers.get('accept'))) return 'stream'
  if (values['count'] === 'true') return 'count'
  if (values['shallow'] === 'true') return 'shallow'
  return filters ? 'query' : 'get'
}

/** `undefined` where the method is none of the tree's. */
function methodMeant(exchange: Exchange): Method | undefined {
  try {
    return methodOf(exchange)
  } catch {
    return undefined
  }
}

/** Operation of a request to the admin API: `other` for one that does not exist, whose name may be anything. */
export function adminOperation({ service, target }: Exchange): Operation {
  if (service.admin === undefined) return 'other'
  const { operations } = service.admin.service
  const name = target.rawPath.startsWith(OPERATIONS_PATH) ? target.rawPath.slice(OPERATIONS_PATH.length) : undefined
  return name === undefined || operations.has(name) ? 'admin' : 'other'
}
