import { DholeError, type ErrorCode } from '../../error.ts'
import type { Exchange } from '../exchange.ts'
import type { AbortReason, Transfer } from '../limits/transfer.ts'
import { parseBody } from './parse-body.ts'
import { readShortBody, SHORT_BODY_BYTES } from './short-body.ts'
import { claimedLength, unpack } from './unpack.ts'

/** Drops a byte order mark; throws at anything that is not UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true })
/** Size from which parsing and checking a body are worth a turn of the event loop each. */
const LARGE_BYTES = 128 * 1024
/** Longest body read only to be thrown away, in bytes. */
const MAX_DISCARDED_BYTES = 1024 * 1024
/** Greatest unpacked length without a credential, as a multiple of the packed one. JSON usually has 3 to 20. */
const MAX_RATIO = 100
/** Unpacked length that every gzip body may have, in bytes. */
const FREE_BYTES = 64 * 1024
const TOO_DENSE = `Without a credential a gzip body may not unpack to more than ${MAX_RATIO} times its length.`

export interface BodyOptions {
  /** Limit after decompression, in bytes; a longer body is not read to its end. */
  readonly maxBytes: number
  /** Which error a body gets that is not what it must be. */
  readonly malformed: Extract<ErrorCode, 'bad-data' | 'bad-patch'>
  /** Whether a good credential was shown: without one a small body may not unpack to a huge one. */
  readonly isTrusted: boolean
}

/** A body that is received or processed. */
interface Incoming {
  readonly transfer: Transfer
  /** Rejects when the limits abort it. */
  readonly aborted: Promise<never>
  /** @throws the reason if the limits have aborted it */
  readonly check: () => void
}

/**
 * Reads the JSON body of a write, whatever its content type says, and uses it. Its memory counts as held for the client
 * until it has been used, and large ones are unpacked, parsed and used a few at a time. The application of the request
 * may be closed until `use` is called: from there on it is that of `exchange.stay`.
 * @param use is given the JSON and, if wanted, the `digestOf` the unpacked bytes
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

/** As `useJson`, for a body that is text to us. */
export function useText<T>(exchange: Exchange, options: BodyOptions, use: (text: string) => Promise<T>): Promise<T> {
  return useBody(exchange, options, (bytes) => use(textOf(bytes, options.malformed)))
}

/**
 * Reads a body that nobody wants. An answer that comes before the body has been sent can be lost: over HTTP/2 the
 * listener then breaks the request off, and clients tell of that instead.
 */
export async function discardBody(exchange: Exchange): Promise<void> {
  const { request, limits } = exchange
  if (limits.isCrowded || request.bodyUsed || request.body === null) return
  const incoming = receive(exchange)
  // A body that is too long, too slow or endless is not read to its end.
  await readBytes(exchange, MAX_DISCARDED_BYTES, 'bad-data', incoming).catch(() => {})
  incoming.transfer.end()
}

/**
 * What tells a body from others: its SHA-256 in base64. Made beside the loop, as bodies can be large.
 * @param bytes not of shared memory, which no body is
 */
async function digestOf(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('base64')
}

function textOf(bytes: Uint8Array, malformed: ErrorCode): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new DholeError(malformed, undefined, { cause })
  }
}

function useBody<T>(exchange: Exchange, options: BodyOptions, use: (bytes: Uint8Array) => Promise<T>): Promise<T> {
  const isPacked = isGzip(exchange.request)
  const length = lengthOf(exchange.request)
  if (length !== undefined && length > options.maxBytes) throw new DholeError('write-too-big')
  const isShort = !isPacked && length !== undefined && length <= SHORT_BODY_BYTES
  return isShort ? useShort(exchange, length, options, use) : useLong(exchange, isPacked, options, use)
}

/**
 * A short body is held for its client, and its application left, only while it is late. From then on it is no larger
 * than what else a request takes.
 */
async function useShort<T>(
  exchange: Exchange,
  length: number,
  { malformed }: BodyOptions,
  use: (bytes: Uint8Array) => Promise<T>,
): Promise<T> {
  const { request, stay } = exchange
  let bytes: Uint8Array
  try {
    bytes = await readShortBody(request, (stop) => watchLate(exchange, length, stop))
  } catch (cause) {
    throw cause instanceof DholeError ? cause : new DholeError(malformed, undefined, { cause })
  }
  exchange.receivedBytes = bytes.byteLength
  if (bytes.byteLength === 0) throw new DholeError('no-data')
  const resumed = stay?.resume()
  if (resumed !== undefined) await resumed
  return use(bytes)
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
    const sent = await readBytes(exchange, options.maxBytes, options.malformed, incoming)
    if (sent.byteLength === 0) throw new DholeError('no-data')
    const useHeld = (bytes: Uint8Array): Promise<T> => {
      check()
      transfer.secure()
      const resumed = exchange.stay?.resume()
      return resumed === undefined ? use(bytes) : resumed.then(() => use(bytes))
    }
    if (isPacked) return await usePacked(exchange, sent, options, incoming, useHeld)
    if (sent.byteLength <= LARGE_BYTES) return await useHeld(sent)
    return await inQueue(exchange, sent.byteLength, incoming, () => useHeld(sent))
  } finally {
    transfer.end()
  }
}

/** What a body says of its length, in bytes; `undefined` where it says nothing. */
function lengthOf({ headers }: Request): number | undefined {
  const length = headers.get('content-length')
  return length === null ? undefined : Number(length)
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
 * Unpacks and uses a body in its turn. It has room for the length that it claims; where it turns out longer, it begins
 * anew with room for the longest there may be.
 */
async function usePacked<T>(
  exchange: Exchange,
  sent: Uint8Array,
  { maxBytes, malformed, isTrusted }: BodyOptions,
  incoming: Incoming,
  use: (bytes: Uint8Array) => Promise<T>,
): Promise<T> {
  const most = isTrusted ? maxBytes : Math.min(maxBytes, Math.max(FREE_BYTES, sent.byteLength * MAX_RATIO))
  const claimed = claimedLength(sent)
  if (claimed === undefined) throw new DholeError(malformed)
  const onPiece = (bytes: number) => {
    incoming.check()
    incoming.transfer.resize(sent.byteLength + bytes)
  }
  // What claims to be too long is so, or broken. To tell which is not worth much work without a credential.
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

/** Does the work on a large body when there is room for it. @param bytes its unpacked length */
async function inQueue<T>(exchange: Exchange, bytes: number, incoming: Incoming, work: () => Promise<T>): Promise<T> {
  const { limits } = exchange
  // The body is here: who waits for the answer is not idle.
  limits.disableIdleTimeout(exchange)
  const entering = limits.enterBodyQueue(exchange, bytes)
  try {
    await Promise.race([entering, incoming.aborted])
    // Whoever has hung up meanwhile takes no answer.
    if (exchange.request.signal.aborted) throw new DholeError('bad-data')
    return await work()
  } finally {
    limits.enableIdleTimeout(exchange)
    void entering.then((leave) => leave())
  }
}

function receive(exchange: Exchange): Incoming {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  // It may reject while nothing awaits it.
  aborted.catch(() => {})
  let error: DholeError | undefined
  const transfer = exchange.limits.receive(exchange, 0, (reason) => {
    error = abortError(reason)
    reject(error)
  })
  const check = () => {
    if (error !== undefined) throw error
  }
  return { transfer, aborted, check }
}

function abortError(reason: AbortReason): DholeError {
  return new DholeError(reason === 'too-slow' ? 'body-too-slow' : reason)
}

async function readBytes(
  exchange: Exchange,
  maxBytes: number,
  malformed: ErrorCode,
  incoming: Incoming,
): Promise<Uint8Array> {
  const { request } = exchange
  const length = lengthOf(request)
  if (length !== undefined && length > maxBytes) throw new DholeError('write-too-big')
  try {
    const bytes = await arrived(request, length, maxBytes, incoming)
    exchange.receivedBytes = bytes.byteLength
    return bytes
  } catch (cause) {
    if (cause instanceof DholeError) throw cause
    // The client went away in the middle.
    throw new DholeError(malformed, undefined, { cause })
  }
}

/** Reads a body while the limits bound its pace and its memory. */
async function arrived(
  request: Request,
  length: number | undefined,
  maxBytes: number,
  { transfer, aborted, check }: Incoming,
): Promise<Uint8Array> {
  check()
  try {
    // Access to `body` makes a stream of it, which is not needed here.
    if (length !== undefined && length <= LARGE_BYTES) {
      transfer.resize(length)
      return await Promise.race([request.bytes(), aborted])
    }
    if (request.body === null) return await request.bytes()
    return await readChunks(request.body, maxBytes, aborted, (bytes) => transfer.grow(bytes))
  } finally {
    transfer.complete()
  }
}

/** A long body, or one that does not say how long it is. @param aborted rejects when the limits abort it */
async function readChunks(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  aborted: Promise<never>,
  onChunk: (bytes: number) => void,
): Promise<Uint8Array> {
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), aborted])
      if (done) return Buffer.concat(chunks, length)
      length += value.byteLength
      if (length > maxBytes) throw new DholeError('write-too-big')
      chunks.push(value)
      onChunk(value.byteLength)
    }
  } catch (error) {
    // Nobody waits for the rest; it may be that it never comes.
    reader.cancel().catch(() => {})
    throw error
  }
}
