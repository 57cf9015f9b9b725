import type { Application } from '../../applications/application.ts'
import type { Caller } from '../../auth/caller.ts'
import type { Access } from '../../database/access/access.ts'
import type { Database, ReadOptions } from '../../database/database.ts'
import {
  type Appended,
  etagAfterInSteps,
  largePlanOf,
  type RequestOptions,
  type WriteOptions,
  type WriteOutcome,
} from '../../database/writes/write-job.ts'
import { writeSeconds } from '../../database/writes/write-size.ts'
import { DholeError, type ErrorCode } from '../../error.ts'
import type { Observer } from '../../observer.ts'
import type { Family, Query } from '../../query/query.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { inTurns } from '../../scheduling/turns.ts'
import { etagMatches, NULL_ETAG } from '../../tree/json/etag.ts'
import type { ReadText } from '../../tree/json/node-text.ts'
import { stringifyInSteps } from '../../tree/json/print-steps.ts'
import { type AnyText, collected, joined, piecesOf } from '../../tree/json/text-pieces.ts'
import { endsInPriority, type Path } from '../../tree/path.ts'
import type { WritePlan } from '../../tree/write.ts'
import { acceptsStream } from '../request/accept.ts'
import { useJson } from '../request/body.ts'
import { callerOf, type Origin, overriddenCaller } from '../request/caller.ts'
import { speaksFirebase } from '../request/dialect.ts'
import { idempotencyKeyOf } from '../request/idempotency-key.ts'
import { type Method, methodOf } from '../request/method.ts'
import { exportAnswer } from '../response/export-body.ts'
import { LARGE_LENGTH, largeAnswer } from '../response/large-body.ts'
import type { Receiver } from '../response/paced-body.ts'
import {
  asItIs,
  type BodyOf,
  type Dress,
  dressedReply,
  emptyReply,
  jsonReply,
  redirectReply,
  replayedReply,
} from '../response/reply.ts'
import { operationOf } from '../routing/operation.ts'
import { openStream } from '../streams/stream-route.ts'
import { NO_PARAMETERS, type Parameters, parseTimeout, type RawParameters } from '../url/parameters.ts'
import { INFO, type Target } from '../url/target.ts'
import { withAuthDebug } from './auth-debug.ts'
import { checkWholeExport, emptyBody } from './whole-export.ts'

/** What the data routes need to answer. */
export interface DataRoutesOptions {
  /** Origin that serves streams, when it is another one. */
  readonly streamHost: string | undefined
  readonly observer: Observer
}

/** A request to the tree, as far as it is known to everybody. */
export interface TreeRequest extends Origin {
  readonly application: Application
  readonly target: Target
}

/** The answer for what was thrown. */
export type Refusal = (tree: TreeRequest, thrown: unknown) => Response

/** One request whose path and parameters are known. */
interface DataRequest extends TreeRequest {
  readonly path: Path
  readonly method: Method
  readonly parameters: Parameters
  readonly timeoutMs: number | undefined
  readonly query: Query | undefined
  readonly isStream: boolean
  /** Name of a write that may come again. */
  readonly idempotencyKey: string | undefined
  readonly observer: Observer
}

/** A method whose body is written. */
type BodyMethod = 'PUT' | 'PATCH' | 'POST'

/** What is done with a body. */
type UseBody = (database: Database, json: unknown, options: RequestOptions) => Promise<Response>

/** Parameters that make no sense of a stream. */
const NOT_STREAMED = ['shallow', 'count', 'callback', 'download']

/**
 * Answers every request to the tree.
 * @see docs/reference/protocol.md#methods
 */
export class DataRoutes {
  readonly #options: DataRoutesOptions
  readonly #refusal: Refusal

  constructor(options: DataRoutesOptions, refusal: Refusal) {
    this.#options = options
    this.#refusal = refusal
  }

  /** In the order of the protocol: path, method, parameters, credential; the rest is the method's. */
  answer(tree: TreeRequest): Awaitable<Response> {
    const { application, request, listener, transport, limits, stay, target } = tree
    const { path, raw } = target
    const method = methodOf(request, raw)
    if (endsInPriority(path) && (method === 'POST' || method === 'PATCH')) throw new DholeError('priority-method')
    const isStream = method === 'GET' && wantsStream(request)
    checkCombination(method, request, raw, isStream)
    const { parameters } = target
    const timeoutMs = parseTimeout(parameters.timeout)
    const idempotencyKey = method === 'GET' ? undefined : idempotencyKeyOf(request)
    const query = raw.filters ? target.query(familyOf(request, raw, application)) : undefined
    const caller = callerOf(application, tree, parameters)
    // Written out: this is the object that every request makes, and copying the one it is of costs more.
    const data: DataRequest = {
      request,
      listener,
      transport,
      limits,
      stay,
      application,
      target,
      path,
      method,
      parameters,
      timeoutMs,
      query,
      isStream,
      idempotencyKey,
      observer: this.#options.observer,
    }
    if (caller instanceof Promise) return caller.then((known) => this.#answerTo(known, data))
    return this.#answerTo(caller, data)
  }

  #answerTo(shown: Caller, data: DataRequest): Awaitable<Response> {
    const { method, parameters, path } = data
    const as = overriddenCaller(shown, parameters.auth_variable_override)
    if (method === 'GET' && parameters.sv !== undefined) return dressedReply(String(Date.now()), parameters)
    if (path[0] === INFO) return info(data)
    if (shown.debug !== true) return this.#use(data, { as })
    const refusal = (thrown: unknown) => this.#refusal(data, thrown)
    return withAuthDebug((onTrace) => this.#use(data, { as, onTrace }), refusal)
  }

  #use(data: DataRequest, access: Access): Awaitable<Response> {
    const { method } = data
    if (method !== 'GET') return this.#write(data, access, method).finally(() => data.limits.enableIdleTimeout(data))
    return data.isStream ? this.#stream(data, access) : this.#get(data, access)
  }

  #get(data: DataRequest, { as, onTrace }: Access): Awaitable<Response> {
    const { application, path, parameters, query, timeoutMs } = data
    const { database } = application
    if (parameters.readSizeLimit !== undefined) return this.#export(data, as)
    const options: ReadOptions = { as, onTrace, timeoutMs }
    if (parameters.count === 'true') {
      return then(data, database.count(path, query, options), (count) => dressedReply(String(count), parameters))
    }
    if (parameters.shallow === 'true') {
      return then(data, database.shallow(path, query, options), (text) => dressed(data, text ?? 'null', parameters))
    }
    const text = query === undefined ? database.node(path, options) : database.select(path, query, options)
    return then(data, text, (found) => readReply(data, found))
  }

  /** Of any size, so rules that have to look at all of it cannot be asked. */
  #export(data: DataRequest, as: Caller | undefined): Awaitable<Response> {
    if (as?.kind !== 'admin') throw new DholeError('permission-denied')
    const { application, request, path, parameters } = data
    if (request.method === 'HEAD') return dressedReply('', parameters, 200, emptyBody)
    const release = application.hold()
    const failed = (thrown: unknown) => {
      this.#refusal(data, thrown)
    }
    const rest = application.database.export(path)
    // What cannot be read at all is answered with an error.
    const first = rest.next().catch((thrown: unknown) => {
      release()
      throw thrown
    })
    return then(data, first, ({ value }) => {
      const body = () => exportAnswer({ first: value ?? '', rest, release, failed }, receiverOf(data))
      return dressedReply('', parameters, 200, body)
    })
  }

  async #stream(data: DataRequest, { as, onTrace }: Access): Promise<Response> {
    const { request, limits, application, path, parameters, query, observer } = data
    if (endsInPriority(path)) throw new DholeError('bad-parameter', 'Streams of a priority are not supported')
    const elsewhere = this.#options.streamHost && elsewhereUrl(request, this.#options.streamHost)
    if (elsewhere) return redirectReply(elsewhere)
    const giveBack = limits.enterStream(data, application.id)
    // Nobody may be taken for idle while nothing happens.
    limits.disableIdleTimeout(data)
    const leave = () => {
      giveBack()
      limits.enableIdleTimeout(data)
    }
    const abort = () => limits.abortConnection(data)
    return openStream(application, {
      leave,
      path,
      query,
      as,
      onTrace,
      export: parameters.format === 'export',
      lastEventId: request.headers.get('last-event-id') ?? undefined,
      numbered: parameters.resume === 'true',
      signal: request.signal,
      abort,
      reserve: (what, bytes, give, isSpare) => limits.reserve(what, bytes, give, isSpare),
      sent: observer.streamSent?.bind(observer),
    })
  }

  async #write(data: DataRequest, access: Access, method: Exclude<Method, 'GET'>): Promise<Response> {
    const { application, path } = data
    switch (method) {
      case 'PUT':
        return this.#useBody(data, access, method, async (database, json, options) =>
          writeReply(data, await database.put(path, json, options)),
        )
      case 'PATCH':
        return this.#useBody(data, access, method, async (database, json, options) =>
          writeReply(data, await patched(database, path, json, options)),
        )
      case 'DELETE':
        data.limits.disableIdleTimeout(data)
        return writeReply(data, await application.database.delete(path, writeOptions(data, access)))
      case 'POST':
        return this.#useBody(data, access, method, async (database, json, options) =>
          appendReply(data, await database.post(path, json, options)),
        )
      default:
        return method satisfies never
    }
  }

  async #useBody(data: DataRequest, access: Access, method: BodyMethod, use: UseBody): Promise<Response> {
    const { application, path, idempotencyKey } = data
    const admitted = application.database.admitWrite(method, path, access, idempotencyKey)
    const isGuarded = admitted instanceof Promise ? await admitted : admitted
    if (!isGuarded) return this.#useJson(data, access, method, use)
    let isPlanned = false
    const onPlanned = () => {
      isPlanned = true
    }
    // Whether the body was read depends on the tree, so only a write that was judged is told what came of it.
    try {
      const reply = await this.#useJson(data, access, method, (database, json, options) =>
        use(database, json, { ...options, onPlanned }),
      )
      if (isPlanned) return reply
    } catch (thrown) {
      if (isPlanned || isOfTheService(thrown)) throw thrown
    }
    throw new DholeError('permission-denied')
  }

  #useJson(data: DataRequest, access: Access, method: BodyMethod, use: UseBody): Promise<Response> {
    const { parameters, idempotencyKey } = data
    const { maxWriteBytes: maxBytes } = data.application.database.limits
    const malformed = method === 'PATCH' ? 'bad-patch' : 'bad-data'
    const isTrusted = access.as?.kind !== 'anybody'
    const isDigested = idempotencyKey !== undefined
    return useJson(data, { maxBytes, malformed, isTrusted, isDigested }, async (json, digest) => {
      data.limits.disableIdleTimeout(data)
      const { application } = data.stay ?? data
      // A body may take its time, and the credential may have ended meanwhile.
      const caller = callerOf(application, data, parameters)
      if (caller instanceof Promise) await caller
      return use(application.database, json, writeOptions(data, access, digest))
    })
  }
}

/** Whether an error has nothing to do with what was sent. What nobody foresaw is none of these texts. */
function isOfTheService(thrown: unknown): boolean {
  return !(thrown instanceof DholeError) || OF_THE_SERVICE.has(thrown.code)
}

const OF_THE_SERVICE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'unavailable',
  'too-busy',
  'too-many-failures',
  'bad-token',
  'token-expired',
  'token-payload',
  'token-refused',
  'internal',
])

async function patched(database: Database, path: Path, json: unknown, options: RequestOptions): Promise<WriteOutcome> {
  try {
    return await database.patch(path, json, options)
  } catch (thrown) {
    // The tree does not know methods; the text of a bad value is another one here.
    const badValue = thrown instanceof DholeError && thrown.code === 'bad-data'
    throw badValue ? new DholeError('bad-patch', undefined, { cause: thrown }) : thrown
  }
}

function writeOptions(
  { request, parameters, idempotencyKey }: DataRequest,
  { as, onTrace }: Access,
  digest?: string | undefined,
): WriteOptions {
  return {
    as,
    onTrace,
    ifMatch: request.headers.get('if-match') ?? undefined,
    maxSeconds: writeSeconds(parameters.writeSizeLimit),
    idempotencyKey,
    digest,
  }
}

/** Headers and parameters that do not go with the method. */
function checkCombination(
  method: Method,
  request: Request,
  { values, filters }: RawParameters,
  isStream: boolean,
): void {
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

/** Whose answers a request gets where the families of clients differ. */
function familyOf(request: Request, raw: RawParameters, { database }: Application): Family {
  return speaksFirebase(request, raw) ? 'firebase' : database.profile
}

/** HEAD never opens a stream: it would not end. */
function wantsStream({ method, headers }: Request): boolean {
  return method !== 'HEAD' && acceptsStream(headers.get('accept'))
}

/** Where a stream is served, unless it is here. */
function elsewhereUrl({ url }: Request, streamHost: string): string | undefined {
  // A request without a host has a path alone for its URL.
  const [, here = '', target = url] = /^([a-z]+:\/\/[^/?#]*)(.*)$/is.exec(url) ?? []
  return here.toLowerCase() === streamHost.toLowerCase() ? undefined : streamHost + target
}

function wantsEtag(request: Request): boolean {
  return request.headers.get('x-firebase-etag')?.toLowerCase() === 'true'
}

/** As `dressedReply`, also of what is long. @param source what the text is of, when others may ask for the same */
function dressed(data: DataRequest, text: AnyText, dress: Dress, source: object = data, status?: number): Response {
  const isHead = data.request.method === 'HEAD'
  if (!isHead || typeof text === 'string') return dressedReply(text, dress, status, bodyOf(data, source))
  let byteLength: number | undefined
  // The listener takes no body for HEAD, and never asks one for its text.
  const reply = dressedReply(text, dress, status, (_, layout) => {
    if (layout !== undefined) return emptyBody()
    byteLength = piecesOf(text).reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)
    return null
  })
  if (byteLength !== undefined) reply.headers.set('Content-Length', String(byteLength))
  return reply
}

/** How a text travels to the client. */
function bodyOf(data: DataRequest, source: object): BodyOf {
  return (text, layout) => {
    if (text.length <= LARGE_LENGTH) return asItIs(text, layout)
    if (data.request.method !== 'HEAD') return largeAnswer(text, source, receiverOf(data), layout)
    return layout === undefined ? joined(text) : emptyBody()
  }
}

function receiverOf({ request, listener, limits, target, observer }: DataRequest): Receiver {
  const sent = observer.answerSent?.bind(observer, operationOf(request, target, false))
  return { request, listener, limits, sent }
}

function readReply(data: DataRequest, node: ReadText | undefined): Awaitable<Response> {
  if (node !== undefined && node.length > LARGE_LENGTH) return data.limits.inSilence(data, largeReadReply(data, node))
  const { request, parameters } = data
  const ifNoneMatch = request.headers.get('if-none-match')
  if (ifNoneMatch === null && parameters === NO_PARAMETERS && !wantsEtag(request)) {
    return jsonReply(node === undefined ? 'null' : node.plain)
  }
  const etag = ifNoneMatch !== null || wantsEtag(request) ? (node?.etag ?? NULL_ETAG) : undefined
  if (ifNoneMatch !== null && etag !== undefined && etagMatches(ifNoneMatch, etag)) return emptyReply(304, etag)
  const text = parameters.format === 'export' ? node?.export : node?.plain
  return dressed(data, text ?? 'null', { ...parameters, etag }, node)
}

/** As `readReply`: what is made of a long text is made in several turns. */
async function largeReadReply(data: DataRequest, node: ReadText): Promise<Response> {
  const { request, parameters } = data
  const ifNoneMatch = request.headers.get('if-none-match')
  const isTagged = ifNoneMatch !== null || wantsEtag(request)
  const etag = isTagged ? await inTurns(node.etagInSteps()) : undefined
  if (ifNoneMatch !== null && etag !== undefined && etagMatches(ifNoneMatch, etag)) return emptyReply(304, etag)
  const text = await inTurns(node.inSteps(parameters.format === 'export' ? 'export' : 'plain'))
  return dressed(data, text, { ...parameters, etag }, node)
}

async function writeReply(data: DataRequest, outcome: WriteOutcome): Promise<Response> {
  const reply = await outcomeReply(data, outcome)
  return outcome.replayed ? replayedReply(reply) : reply
}

async function outcomeReply(data: DataRequest, outcome: WriteOutcome): Promise<Response> {
  const { request, parameters } = data
  const { print } = parameters
  if (outcome.kind === 'mismatch') {
    const { current } = outcome
    if (current === undefined) return dressed(data, 'null', { print, etag: NULL_ETAG }, undefined, 412)
    const etag = await inTurns(current.etagInSteps())
    return dressed(data, await inTurns(current.inSteps('plain')), { print, etag }, current, 412)
  }
  const isTagged = wantsEtag(request) || request.headers.has('if-match')
  const large = largePlanOf(outcome)
  const etag = isTagged ? await tagOf(outcome, large) : undefined
  if (print === 'silent') return dressed(data, '', { print, etag })
  const text =
    large === undefined
      ? JSON.stringify(outcome.json)
      : await inTurns(collected((sink) => stringifyInSteps(large.json, sink)))
  return dressed(data, text, { print, etag })
}

/** @param outcome makes its tag when it is asked for */
function tagOf(
  outcome: { readonly etag: string | undefined },
  large: WritePlan | undefined,
): Awaitable<string | undefined> {
  if (large === undefined) return outcome.etag
  return large.kind === 'put' ? inTurns(etagAfterInSteps(large)) : undefined
}

async function appendReply({ request, parameters }: DataRequest, appended: Appended): Promise<Response> {
  const etag = wantsEtag(request) ? await tagOf(appended, largePlanOf(appended)) : undefined
  const reply = dressedReply(JSON.stringify({ name: appended.name }), { print: parameters.print, etag })
  return appended.replayed ? replayedReply(reply) : reply
}

function info({ path, parameters, method }: DataRequest): Response {
  if (method !== 'GET') throw new DholeError('bad-path')
  const name = path.slice(1).join('/')
  const text = name === 'connected' ? 'true' : name === 'serverTimeOffset' ? '0' : 'null'
  return dressedReply(text, parameters)
}

/** Uses a value when it is there; what is not there at once may take long. */
function then<T>(data: DataRequest, value: Awaitable<T>, use: (value: T) => Awaitable<Response>): Awaitable<Response> {
  if (!(value instanceof Promise)) return use(value)
  return data.limits.inSilence(data, value).then(use)
}
