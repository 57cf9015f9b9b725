import { identify } from '../auth/credential.ts'
import type { Family, Query } from '../query/query.ts'
import type { Application, Applications } from '../service/applications.ts'
import type { WriteOptions, WriteOutcome } from '../service/write-job.ts'
import type { Awaitable } from '../tree/awaitable.ts'
import { DholeError } from '../tree/error.ts'
import { etagMatches, NULL_ETAG } from '../tree/etag.ts'
import type { Limits } from '../tree/limits.ts'
import type { ReadText } from '../tree/node-text.ts'
import { endsInPriority, type Path } from '../tree/path.ts'
import { acceptsStream } from './accept.ts'
import { readJson } from './body.ts'
import { isBearer, speaksFirebase } from './dialect.ts'
import { errorReply, knownError } from './error-reply.ts'
import {
  checkParameters,
  decodeParameters,
  isCallbackName,
  NO_PARAMETERS,
  NO_RAW_PARAMETERS,
  type Parameters,
  parseTimeout,
  type RawParameters,
  writeSeconds,
} from './parameters.ts'
import { queryOf } from './query-parameters.ts'
import { type Dress, dressedReply, emptyReply, jsonReply, preflightReply, redirectReply } from './reply.ts'
import { openStream } from './stream-route.ts'
import { splitTarget, type Target, targetPath } from './target.ts'
import type { Listener, Transport } from './transport.ts'

/** What the data routes need to answer. */
export interface DataRoutesOptions {
  readonly applications: Applications
  readonly limits: Limits
  readonly transport: Transport
  /** Path the routes are mounted under, without a slash at the end. */
  readonly prefix: string
  /** Origin that serves streams, when it is another one. */
  readonly streamHost: string | undefined
  /** An error nobody foresaw, for the log. */
  readonly onUnforeseen: (request: Request, error: unknown) => void
}

/** One request whose application, path, method and parameters are known and allowed. */
interface DataRequest {
  readonly request: Request
  readonly listener: Listener | null
  readonly application: Application
  readonly path: Path
  readonly parameters: Parameters
}

type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

const METHODS: ReadonlySet<string> = new Set<Method>(['GET', 'PUT', 'POST', 'PATCH', 'DELETE'])
/** Parameters that make no sense of a stream. */
const NOT_STREAMED = ['shallow', 'count', 'callback', 'download']
/** A connection that does not read is broken off after so many seconds. */
const CUT_SECONDS = 2
const INFO = '.info'
const INFO_PREFIX = `/${INFO}/`

/**
 * Answers every request to the tree.
 * @see docs/protocol.md#methods
 */
export class DataRoutes {
  readonly #options: DataRoutesOptions

  constructor(options: DataRoutesOptions) {
    this.#options = options
  }

  /** @param listener asked who is speaking, only when the request itself does not tell */
  handle(request: Request, listener: Listener | null): Awaitable<Response> {
    let raw: RawParameters = NO_RAW_PARAMETERS
    try {
      const target = splitTarget(request.url, this.#options.prefix)
      if (!this.#options.transport.isSecure(target, request, listener)) throw new DholeError('https-required')
      if (request.method === 'OPTIONS') return preflightReply()
      raw = decodeParameters(target.search)
      const reply = this.#answer(request, target, raw, listener)
      return reply instanceof Promise ? reply.catch((thrown) => this.#error(request, thrown, raw)) : reply
    } catch (thrown) {
      return this.#error(request, thrown, raw)
    }
  }

  /** In the order of the protocol: application, path, method, parameters, credential; the rest is the method's. */
  #answer(request: Request, target: Target, raw: RawParameters, listener: Listener | null): Awaitable<Response> {
    const application = this.#options.applications.choose({ ns: raw.values['ns'], host: target.host })
    const path = parseDataPath(target.rawPath)
    const method = methodOf(request, raw)
    if (endsInPriority(path) && (method === 'POST' || method === 'PATCH')) throw new DholeError('priority-method')
    checkCombination(method, request, raw)
    const parameters = checkParameters(raw)
    const timeoutMs = parseTimeout(parameters.timeout)
    const query = raw.filters ? queryOf(parameters, familyOf(request, raw, application)) : undefined
    const caller = identify(credentialOf(request, parameters), application.secret)
    if (method === 'GET' && parameters.sv !== undefined) return dressedReply(String(Date.now()), parameters)
    if (!application.open && !caller.admin) throw new DholeError('permission-denied')
    const data: DataRequest = { request, listener, application, path, parameters }
    if (path[0] === INFO) return info(data, method)
    if (method !== 'GET') return this.#write(data, method)
    return wantsStream(request) ? this.#stream(data, query) : this.#get(data, query, timeoutMs)
  }

  #get(data: DataRequest, query: Query | undefined, timeoutMs: number | undefined): Awaitable<Response> {
    const { application, path, parameters } = data
    const { database } = application
    if (parameters.count === 'true') {
      return then(data, database.count(path, query, timeoutMs), (count) => dressedReply(String(count), parameters))
    }
    if (parameters.shallow === 'true') {
      return then(data, database.shallow(path, timeoutMs, query), (text) => dressedReply(text ?? 'null', parameters))
    }
    const text = query === undefined ? database.node(path, timeoutMs) : database.select(path, query, timeoutMs)
    return then(data, text, (found) => readReply(data, found))
  }

  async #stream(data: DataRequest, query: Query | undefined): Promise<Response> {
    const { request, listener, application, path, parameters } = data
    if (endsInPriority(path)) throw new DholeError('bad-parameter', 'Streams of a priority are not supported')
    const elsewhere = this.#options.streamHost && elsewhereUrl(request, this.#options.streamHost)
    if (elsewhere) return redirectReply(elsewhere)
    // Nobody may be taken for idle while nothing happens.
    workInSilence(data)
    return openStream(application.database, {
      path,
      query,
      export: parameters.format === 'export',
      lastEventId: request.headers.get('last-event-id') ?? undefined,
      numbered: parameters.resume === 'true',
      signal: request.signal,
      cut: () => listener?.timeout(request, CUT_SECONDS),
    })
  }

  async #write(data: DataRequest, method: Exclude<Method, 'GET'>): Promise<Response> {
    const { application, path, parameters, request } = data
    const { database } = application
    const options: WriteOptions = {
      ifMatch: request.headers.get('if-match') ?? undefined,
      maxSeconds: writeSeconds(parameters),
    }
    switch (method) {
      case 'PUT':
        return writeReply(data, await database.put(path, await this.#body(data, 'bad-data'), options))
      case 'PATCH':
        return writeReply(data, await this.#patch(data, options))
      case 'DELETE':
        workInSilence(data)
        return writeReply(data, await database.delete(path, options))
      case 'POST': {
        const { name, etag } = await database.post(path, await this.#body(data, 'bad-data'), options)
        const dress = { print: parameters.print, etag: wantsEtag(request) ? etag : undefined }
        return dressedReply(JSON.stringify({ name }), dress)
      }
      default:
        return method satisfies never
    }
  }

  async #patch(data: DataRequest, options: WriteOptions): Promise<WriteOutcome> {
    const { application, path } = data
    const json = await this.#body(data, 'bad-patch')
    try {
      return await application.database.patch(path, json, options)
    } catch (thrown) {
      // The tree does not know methods; the text of a bad value is another one here.
      const badValue = thrown instanceof DholeError && thrown.code === 'bad-data'
      throw badValue ? new DholeError('bad-patch', undefined, { cause: thrown }) : thrown
    }
  }

  async #body(data: DataRequest, malformed: 'bad-data' | 'bad-patch'): Promise<unknown> {
    const json = await readJson(data.request, this.#options.limits.maxWriteBytes, malformed)
    workInSilence(data)
    return json
  }

  #error(request: Request, thrown: unknown, raw: RawParameters): Response {
    const error = knownError(thrown)
    if (error.code === 'internal') this.#options.onUnforeseen(request, thrown)
    return errorReply(error, dressOf(request, raw), speaksFirebase(request, raw))
  }
}

/** A dot path that is no part of the data is known by its first key. */
function parseDataPath(rawPath: string): Path {
  if (rawPath.startsWith(INFO_PREFIX)) return [INFO, ...targetPath(rawPath.slice(INFO.length + 1))]
  return targetPath(rawPath)
}

/** The method meant: POST can stand for another. */
function methodOf(request: Request, raw: RawParameters): Method {
  const sent = request.method
  if (sent === 'GET' || sent === 'HEAD') return 'GET'
  if (!METHODS.has(sent)) throw new DholeError('method-not-allowed')
  if (sent !== 'POST') return sent as Method
  const override = request.headers.get('x-http-method-override') ?? raw.values['x-http-method-override']
  if (override === undefined) return 'POST'
  const method = override.trim().toUpperCase()
  if (!METHODS.has(method)) throw new DholeError('bad-parameter')
  return method as Method
}

/** Headers and parameters that do not go with the method. */
function checkCombination(method: Method, request: Request, { values, filters }: RawParameters): void {
  const { headers } = request
  if (method === 'GET') {
    if (headers.has('if-match')) throw new DholeError('bad-parameter', 'if-match is not supported for GET')
    if (wantsStream(request) && NOT_STREAMED.some((name) => name in values)) {
      throw new DholeError('bad-parameter', `${NOT_STREAMED.join(', ')} are not supported for streams`)
    }
    return
  }
  if (filters || 'shallow' in values || 'count' in values) {
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

/** First present wins. */
function credentialOf(request: Request, parameters: Parameters): string | undefined {
  if (parameters.auth !== undefined) return parameters.auth
  if (parameters.access_token !== undefined) return parameters.access_token
  const authorization = request.headers.get('authorization')
  if (authorization === null) return undefined
  // Another scheme is a credential too, and one nobody here gave out.
  return isBearer(authorization) ? authorization.slice('Bearer'.length).trim() : ''
}

function wantsEtag(request: Request): boolean {
  return request.headers.get('x-firebase-etag')?.toLowerCase() === 'true'
}

function readReply({ request, parameters }: DataRequest, node: ReadText | undefined): Response {
  const ifNoneMatch = request.headers.get('if-none-match')
  if (ifNoneMatch === null && parameters === NO_PARAMETERS && !wantsEtag(request)) {
    return jsonReply(node === undefined ? 'null' : node.plain)
  }
  const etag = ifNoneMatch !== null || wantsEtag(request) ? (node?.etag ?? NULL_ETAG) : undefined
  if (ifNoneMatch !== null && etag !== undefined && etagMatches(ifNoneMatch, etag)) return emptyReply(304, etag)
  const text = parameters.format === 'export' ? node?.export : node?.plain
  return dressedReply(text ?? 'null', { ...parameters, etag })
}

function writeReply({ request, parameters }: DataRequest, outcome: WriteOutcome): Response {
  if (outcome.kind === 'mismatch') {
    const { current } = outcome
    return dressedReply(current?.plain ?? 'null', { print: parameters.print, etag: current?.etag ?? NULL_ETAG }, 412)
  }
  const tagged = wantsEtag(request) || request.headers.has('if-match')
  const { print } = parameters
  const text = print === 'silent' ? '' : JSON.stringify(outcome.json)
  return dressedReply(text, { print, etag: tagged ? outcome.etag : undefined })
}

function info({ path, parameters }: DataRequest, method: Method): Response {
  if (method !== 'GET') throw new DholeError('bad-path')
  const name = path.slice(1).join('/')
  const text = name === 'connected' ? 'true' : name === 'serverTimeOffset' ? '0' : 'null'
  return dressedReply(text, parameters)
}

/** What of the raw parameters an error can be dressed with: only what a success would have worn. */
function dressOf(request: Request, raw: RawParameters): Dress {
  const { callback, print } = raw.values
  const wrapped = callback !== undefined && isCallbackName(callback) && isRead(request, raw)
  return { callback: wrapped ? callback : undefined, print }
}

function isRead(request: Request, raw: RawParameters): boolean {
  try {
    return methodOf(request, raw) === 'GET'
  } catch {
    return false
  }
}

/**
 * The request is here whole, and its answer may have to wait: for a long read, or for the writes before it. The
 * listener must not take the connection for an idle one meanwhile.
 */
function workInSilence({ request, listener }: DataRequest): void {
  listener?.timeout(request, 0)
}

/** Uses a value when it is there; what is not there at once may take long. */
function then<T>(data: DataRequest, value: Awaitable<T>, use: (value: T) => Response): Awaitable<Response> {
  if (!(value instanceof Promise)) return use(value)
  workInSilence(data)
  return value.then(use)
}
