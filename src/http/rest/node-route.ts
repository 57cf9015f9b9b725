import type { Caller } from '../../auth/caller.ts'
import { DholeError } from '../../error.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { endsInPriority } from '../../tree/path.ts'
import type { Exchange } from '../exchange.ts'
import { acceptsStream } from '../request/accept.ts'
import { callerOf, overriddenCaller } from '../request/caller.ts'
import { familyOf } from '../request/dialect.ts'
import { idempotencyKeyOf } from '../request/idempotency-key.ts'
import { type Method, methodOf } from '../request/method.ts'
import { wantsEtag } from '../response/node-reply.ts'
import { formatReply } from '../response/reply.ts'
import { INFO } from '../url/target.ts'
import { collectTrace } from './auth-debug.ts'
import { readNode } from './read-node.ts'
import { checkWholeExport } from './whole-export.ts'
import { writeNode } from './write-node.ts'

/** Parameters that streams do not have. */
const NOT_STREAMED = ['shallow', 'count', 'callback', 'download']

/**
 * Answers a request to a node of the tree. Checks in the order of the protocol: path, method, parameters, credential;
 * the rest is checked by the method.
 * @see docs/reference/protocol.md#methods
 */
export function answerNode(exchange: Exchange): Awaitable<Response> {
  const { target, request } = exchange
  const { path, raw } = target
  const method = methodOf(exchange)
  if (endsInPriority(path) && (method === 'POST' || method === 'PATCH')) throw new DholeError('priority-method')
  // HEAD never opens a stream: it would not end.
  exchange.isStream = method === 'GET' && exchange.method !== 'HEAD' && acceptsStream(request.headers.get('accept'))
  checkCombination(exchange, method)
  const { parameters } = target
  // Read here for its errors.
  void target.timeoutMs
  if (method !== 'GET') exchange.idempotencyKey = idempotencyKeyOf(request)
  if (raw.filters) exchange.query = target.query(familyOf(exchange))
  const caller = callerOf(exchange.application, exchange, parameters)
  if (caller instanceof Promise) return caller.then((known) => answerCaller(exchange, method, known))
  return answerCaller(exchange, method, caller)
}

function answerCaller(exchange: Exchange, method: Method, caller: Caller): Awaitable<Response> {
  const { parameters, path } = exchange.target
  exchange.caller = overriddenCaller(caller, parameters.auth_variable_override)
  if (method === 'GET' && parameters.sv !== undefined) return formatReply(exchange, String(Date.now()), parameters)
  if (path[0] === INFO) return infoReply(exchange, method)
  if (caller.debug === true) collectTrace(exchange)
  return method === 'GET' ? readNode(exchange) : writeNode(exchange, method)
}

/** Refuses headers and parameters that the method does not support. */
function checkCombination(exchange: Exchange, method: Method): void {
  const { request, isStream, target } = exchange
  const { values, filters } = target.raw
  const { headers } = request
  if (method === 'GET') {
    if (headers.has('if-match')) throw new DholeError('bad-parameter', 'if-match is not supported for GET')
    if (isStream && NOT_STREAMED.some((name) => name in values)) {
      throw new DholeError('bad-parameter', `${NOT_STREAMED.join(', ')} are not supported for streams`)
    }
    if ('readSizeLimit' in values) {
      checkWholeExport(values, { isStream, isTagged: wantsEtag(request) || headers.has('if-none-match') })
    }
    return
  }
  if (filters || 'shallow' in values || 'count' in values || 'readSizeLimit' in values) {
    throw new DholeError('bad-parameter', 'Query parameters are not supported for writes')
  }
  if (method === 'PATCH' && (headers.has('if-match') || wantsEtag(request))) {
    throw new DholeError('bad-parameter', 'ETag and if-match are not supported for PATCH')
  }
  if (method === 'POST' && headers.has('if-match')) {
    throw new DholeError('bad-parameter', 'if-match is not supported for POST')
  }
}

/** @throws `bad-path` for a write */
function infoReply(exchange: Exchange, method: Method): Response {
  if (method !== 'GET') throw new DholeError('bad-path')
  const { path, parameters } = exchange.target
  const name = path.slice(1).join('/')
  const text = name === 'connected' ? 'true' : name === 'serverTimeOffset' ? '0' : 'null'
  return formatReply(exchange, text, parameters)
}
