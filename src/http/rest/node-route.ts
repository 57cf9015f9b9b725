import type { Application } from '../../applications/application.ts'
import type { Caller } from '../../auth/caller.ts'
import { checkKeys } from '../../database/access/access.ts'
import { DholeError } from '../../error.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { inTurns } from '../../scheduling/turns.ts'
import { etagMatches, NULL_ETAG } from '../../tree/json/etag.ts'
import type { ReadText } from '../../tree/json/node-text.ts'
import { endsInPriority } from '../../tree/path.ts'
import type { Exchange } from '../exchange.ts'
import { authenticate, overriddenCaller } from '../request/caller.ts'
import { acceptsStream, familyOf, idempotencyKeyOf, type Method, methodOf, wantsEtag } from '../request/headers.ts'
import { exportAnswer } from '../response/export-body.ts'
import { LARGE_LENGTH } from '../response/large-body.ts'
import { nodeTextReply } from '../response/node-reply.ts'
import { emptyReply, formatReply, jsonReply, namePosition } from '../response/reply.ts'
import { openStream } from '../streams/stream-route.ts'
import { NO_PARAMETERS } from '../url/parameters.ts'
import { INFO } from '../url/target.ts'
import { collectTrace } from './auth-debug.ts'
import { checkWholeExport, emptyBody } from './whole-export.ts'
import { writeNode } from './write-node.ts'

/** Header with the position that the answer must include, where reads may lag. @see docs/reference/protocol.md#positions */
const AFTER = 'X-Dhole-After'
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
  const caller = authenticate(exchange, parameters)
  if (caller instanceof Promise) return caller.then((known) => answerCaller(exchange, method, known))
  return answerCaller(exchange, method, caller)
}

function answerCaller(exchange: Exchange, method: Method, caller: Caller): Awaitable<Response> {
  const { parameters, path } = exchange.target
  exchange.as = overriddenCaller(caller, parameters.auth_variable_override)
  if (method === 'GET' && parameters.sv !== undefined) return formatReply(exchange, String(Date.now()), parameters)
  if (path[0] === INFO) return infoReply(exchange, method)
  if (caller.debug === true) collectTrace(exchange)
  if (exchange.application.database.mayLag) return answerWithPosition(exchange, method)
  return answerMethod(exchange, method)
}

function answerMethod(exchange: Exchange, method: Method): Awaitable<Response> {
  return method === 'GET' ? readNode(exchange) : writeNode(exchange, method)
}

/** Waits for the position that the request names, and names one that is not older than the answer. */
function answerWithPosition(exchange: Exchange, method: Method): Awaitable<Response> {
  const reached = reachPosition(exchange)
  const reply =
    reached === undefined ? answerMethod(exchange, method) : reached.then(() => answerMethod(exchange, method))
  return reply instanceof Promise ? reply.then((known) => withPosition(exchange, known)) : withPosition(exchange, reply)
}

/** @returns `undefined` where the position that the request names is reached, and where it names none */
function reachPosition({ request, application }: Exchange): Awaitable<void> {
  const after = request.headers.get(AFTER)
  if (after === null) return undefined
  const { authenticator, database } = application
  const { epoch, seq } = database.position()
  // A position of another history is passed by the last commit of this one.
  const wanted = authenticator.positions.seqOf(after, epoch) ?? Number.POSITIVE_INFINITY
  return wanted > seq ? database.fresh(true) : undefined
}

function withPosition(exchange: Exchange, reply: Response): Response {
  return exchange.isPositioned ? reply : namePosition(reply, positionOf(exchange.application))
}

/** Id of the last position. */
function positionOf({ authenticator, database }: Application): string {
  return authenticator.positions.idOf(database.position())
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

/** Reads the node, or opens a stream of it. */
function readNode(exchange: Exchange): Awaitable<Response> {
  if (exchange.isStream) return openStream(exchange)
  const { application, target, query } = exchange
  const { path, parameters } = target
  const { database } = application
  if (parameters.readSizeLimit !== undefined) return exportNode(exchange)
  if (parameters.count === 'true') {
    const count = database.count(path, query, exchange)
    return then(exchange, count, (known) => formatReply(exchange, String(known), parameters))
  }
  if (parameters.shallow === 'true') {
    const keys = database.shallow(path, query, exchange)
    return then(exchange, keys, (text) => nodeTextReply(exchange, text ?? 'null', parameters))
  }
  const text = query === undefined ? database.node(path, exchange) : database.select(path, query, exchange)
  return then(exchange, text, (found) => readReply(exchange, found))
}

/** Uses a value at once when it is there; the wait for another may exceed the idle timeout. */
function then<T>(exchange: Exchange, value: Awaitable<T>, use: (value: T) => Awaitable<Response>): Awaitable<Response> {
  if (!(value instanceof Promise)) return use(value)
  return exchange.limits.withoutIdleTimeout(exchange, value).then((known) => {
    checkKeys(exchange)
    return use(known)
  })
}

/** The reply to a read. @param node `undefined` where there is none */
function readReply(exchange: Exchange, node: ReadText | undefined): Awaitable<Response> {
  if (node !== undefined && node.length > LARGE_LENGTH) {
    return exchange.limits.withoutIdleTimeout(exchange, largeReadReply(exchange, node))
  }
  const { request, target } = exchange
  const { parameters } = target
  const ifNoneMatch = request.headers.get('if-none-match')
  if (ifNoneMatch === null && parameters === NO_PARAMETERS && !wantsEtag(request)) {
    const { application } = exchange
    const position = application.database.mayLag ? positionOf(application) : undefined
    return jsonReply(exchange, node === undefined ? 'null' : node.plain, position)
  }
  const etag = ifNoneMatch !== null || wantsEtag(request) ? (node?.etag ?? NULL_ETAG) : undefined
  if (ifNoneMatch !== null && etag !== undefined && etagMatches(ifNoneMatch, etag)) return emptyReply(304, etag)
  const text = parameters.format === 'export' ? node?.export : node?.plain
  return nodeTextReply(exchange, text ?? 'null', { ...parameters, etag }, node)
}

/** As `readReply`, in several turns of the event loop. */
async function largeReadReply(exchange: Exchange, node: ReadText): Promise<Response> {
  const { request, target } = exchange
  const { parameters } = target
  const ifNoneMatch = request.headers.get('if-none-match')
  const isTagged = ifNoneMatch !== null || wantsEtag(request)
  const etag = isTagged ? await inTurns(node.etagInSteps()) : undefined
  if (ifNoneMatch !== null && etag !== undefined && etagMatches(ifNoneMatch, etag)) return emptyReply(304, etag)
  const text = await inTurns(node.inSteps(parameters.format === 'export' ? 'export' : 'plain'))
  return nodeTextReply(exchange, text, { ...parameters, etag }, node)
}

/** For administrators only: the size is unlimited, and rules would have to read all of it. */
function exportNode(exchange: Exchange): Awaitable<Response> {
  const { application, target, as } = exchange
  const { path, parameters } = target
  if (as?.kind !== 'admin') throw new DholeError('permission-denied')
  if (exchange.method === 'HEAD') return formatReply(exchange, '', parameters, 200, emptyBody)
  const release = application.hold()
  const failed = (thrown: unknown) => exchange.reportError(thrown)
  const rest = application.database.export(path)
  // A failure of the first piece is answered with an error.
  const first = rest.next().catch((thrown: unknown) => {
    release()
    throw thrown
  })
  return then(exchange, first, ({ value }) => {
    const body = () => exportAnswer({ first: value ?? '', rest, release, failed }, exchange)
    return formatReply(exchange, '', parameters, 200, body)
  })
}
