import { DholeError, type ErrorCode } from '../../error.ts'
import { loopTurn } from '../../scheduling/loop-turn.ts'
import type { Exchange } from '../exchange.ts'
import { abortError, type IncomingBody, LARGE_BYTES, receive, receiveBytes, statedLength } from './incoming-body.ts'
import { parseBody, textOf } from './parse-body.ts'
import { readShortBody, SHORT_BODY_BYTES } from './short-body.ts'
import { claimedLength, unpack } from './unpack.ts'

/** Longest body that is received only to be discarded, in bytes. */
const MAX_DISCARDED_BYTES = 1024 * 1024
/** Greatest unpacked length without a credential, as a multiple of the packed one. JSON usually has 3 to 20. */
const MAX_RATIO = 100
/** Unpacked length that is allowed to every gzip body, in bytes. */
const FREE_BYTES = 64 * 1024
const TOO_DENSE = `Without a credential a gzip body may not unpack to more than ${MAX_RATIO} times its length.`

export interface BodyOptions {
  /** Limit after decompression, in bytes; the rest of a longer body is not read. */
  readonly maxBytes: number
  /** Error of a body that has the wrong form. */
  readonly malformed: Extract<ErrorCode, 'bad-data' | 'bad-patch'>
  /** Whether the request has a valid credential: without one a small body may not unpack to a huge one. */
  readonly isTrusted: boolean
}

/**
 * Receives the JSON body of a write, whatever its content type says, and passes it to `use`. Its memory stays reserved
 * until `use` has ended; large bodies are unpacked, parsed and used a few at a time. The application may be closed and
 * reopened before `use` is called.
 * @param use receives the JSON and, if asked for, the `digestOf` the unpacked bytes
 * @throws `no-data`, `write-too-big`, `malformed`, `body-too-slow`, `too-busy`, and what `use` throws
 * @see docs/reference/protocol.md#bodies
 */
export function useJson<T>(
  exchange: Exchange,
  options: BodyOptions & { readonly isDigested?: boolean },
  use: (json: unknown, digest: string | undefined) => Promise<T>,
): Promise<T> {
  return useBody(exchange, options, (bytes) => {
    if (options.isDigested === true) return useDigested(bytes, options, use)
    const json = parseBody(bytes, options.maxBytes, options.malformed)
    return json instanceof Promise ? json.then((parsed) => use(parsed, undefined)) : use(json, undefined)
  })
}

async function useDigested<T>(
  bytes: Uint8Array,
  { maxBytes, malformed }: BodyOptions,
  use: (json: unknown, digest: string | undefined) => Promise<T>,
): Promise<T> {
  const digest = await digestOf(bytes)
  return use(await parseBody(bytes, maxBytes, malformed), digest)
}

/** As `useJson`, for a body that is text. */
export function useText<T>(exchange: Exchange, options: BodyOptions, use: (text: string) => Promise<T>): Promise<T> {
  return useBody(exchange, options, (bytes) => use(textOf(bytes, options.malformed)))
}

/**
 * Receives a body that no endpoint has read. A reply that precedes the end of the body can be lost: over HTTP/2 the
 * listener then resets the request, and clients report that instead.
 */
export async function discardBody(exchange: Exchange): Promise<void> {
  const { request, limits } = exchange
  if (limits.isCrowded || request.bodyUsed || request.body === null) return
  const incoming = receive(exchange)
  // A body that is too long, too slow or endless is not read to its end.
  await receiveBytes(exchange, MAX_DISCARDED_BYTES, 'bad-data', incoming).catch(() => {})
  incoming.transfer.end()
}

/**
 * SHA-256 of a body in base64, computed off the event loop.
 * @param bytes not in shared memory
 */
async function digestOf(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('base64')
}

/** Whether a request states that its body is short and not packed: such a body is parsed and planned quickly. */
export function hasShortBody(request: Request): boolean {
  const length = statedLength(request)
  return length !== undefined && length <= SHORT_BODY_BYTES && !request.headers.has('content-encoding')
}

/** As `useJson`, for a body of any kind. */
export function useBody<T>(
  exchange: Exchange,
  options: BodyOptions,
  use: (bytes: Uint8Array) => Promise<T>,
): Promise<T> {
  const isPacked = isGzip(exchange.request)
  const length = statedLength(exchange.request)
  if (length !== undefined && length > options.maxBytes) throw new DholeError('write-too-big')
  const isShort = !isPacked && length !== undefined && length <= SHORT_BODY_BYTES
  return isShort ? useShort(exchange, length, options, use) : useLong(exchange, isPacked, options, use)
}

/**
 * Reserves memory for a short body, and lets its application close, only while the body is late: otherwise it is no
 * larger than the rest of a request.
 */
function useShort<T>(
  exchange: Exchange,
  length: number,
  { malformed }: BodyOptions,
  use: (bytes: Uint8Array) => Promise<T>,
): Promise<T> {
  return readShortBody(exchange.request, {
    watch: (stop) => watchLate(exchange, length, stop),
    use: (bytes) => {
      exchange.bytesIn = bytes.byteLength
      if (bytes.byteLength === 0) throw new DholeError('no-data')
      const resumed = exchange.stay?.resume()
      return resumed === undefined ? use(bytes) : resumed.then(() => use(bytes))
    },
    failed: (cause) => new DholeError(malformed, undefined, { cause }),
  })
}

function watchLate(exchange: Exchange, length: number, stop: (reason: DholeError) => void): () => void {
  exchange.stay?.leave()
  const transfer = exchange.limits.receive(exchange, length, (reason) => stop(abortError(reason)))
  return () => transfer.end()
}

async function useLong<T>(
  exchange: Exchange,
  isPacked: boolean,
  options: BodyOptions,
  use: (bytes: Uint8Array) => Promise<T>,
): Promise<T> {
  exchange.stay?.leave()
  const incoming = receive(exchange)
  const { transfer, check } = incoming
  try {
    const sent = await receiveBytes(exchange, options.maxBytes, options.malformed, incoming)
    if (sent.byteLength === 0) throw new DholeError('no-data')
    const useSecured = (bytes: Uint8Array): Promise<T> => {
      check()
      transfer.secure()
      const resumed = exchange.stay?.resume()
      return resumed === undefined ? use(bytes) : resumed.then(() => use(bytes))
    }
    if (isPacked) return await usePacked(exchange, sent, options, incoming, useSecured)
    if (sent.byteLength <= LARGE_BYTES) {
      // Hundreds can arrive in one turn of the event loop.
      if (loopTurn.isOver) await loopTurn.pause(true)
      return await useSecured(sent)
    }
    return await inQueue(exchange, sent.byteLength, incoming, () => useSecured(sent))
  } finally {
    transfer.end()
  }
}

/** @throws `bad-data` for an encoding that is not known here */
function isGzip({ headers }: Request): boolean {
  const encoding = headers.get('content-encoding')
  switch (encoding?.trim().toLowerCase()) {
    case undefined:
    case '':
    case 'identity':
      return false
    case 'gzip':
    case 'x-gzip':
      return true
    default:
      throw new DholeError('bad-data', `Content-Encoding ${encoding} is not supported`)
  }
}

/**
 * Unpacks and uses a body in its turn, with memory for the length that it claims; a body that turns out longer starts
 * again with memory for the limit.
 */
async function usePacked<T>(
  exchange: Exchange,
  sent: Uint8Array,
  { maxBytes, malformed, isTrusted }: BodyOptions,
  incoming: IncomingBody,
  use: (bytes: Uint8Array) => Promise<T>,
): Promise<T> {
  const most = isTrusted ? maxBytes : Math.min(maxBytes, Math.max(FREE_BYTES, sent.byteLength * MAX_RATIO))
  const claimed = claimedLength(sent)
  if (claimed === undefined) throw new DholeError(malformed)
  const onPiece = (bytes: number) => {
    incoming.check()
    incoming.transfer.resize(sent.byteLength + bytes)
  }
  // A body that claims to be too long is too long or malformed; without a credential the difference is not worth the work.
  const isTried = claimed <= most || isTrusted || most <= LARGE_BYTES
  const limits = isTried ? [Math.min(claimed, most), most] : []
  for (const limit of new Set(limits)) {
    const used = await inQueue(exchange, limit, incoming, async () => {
      const bytes = await unpack(sent, { limit, malformed, onPiece })
      if (bytes?.byteLength === 0) throw new DholeError('no-data')
      return bytes && { result: await use(bytes) }
    })
    if (used !== undefined) return used.result
  }
  throw most < maxBytes ? new DholeError('write-too-big', TOO_DENSE) : new DholeError('write-too-big')
}

/** Does the work on a large body in its turn. @param bytes its unpacked length */
async function inQueue<T>(
  exchange: Exchange,
  bytes: number,
  incoming: IncomingBody,
  work: () => Promise<T>,
): Promise<T> {
  const { limits } = exchange
  // The body was received: the client is waiting, not idle.
  limits.disableIdleTimeout(exchange)
  const entering = limits.enterBodyQueue(exchange, bytes)
  try {
    await Promise.race([entering, incoming.aborted])
    // The client may have disconnected meanwhile.
    if (exchange.request.signal.aborted) throw new DholeError('bad-data')
    return await work()
  } finally {
    limits.enableIdleTimeout(exchange)
    void entering.then((leave) => leave())
  }
}
