import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { DholeError, type ErrorCode } from '../tree/error.ts'
import { noteReceived } from './body-size.ts'
import type { Origin } from './caller.ts'

const unzip = promisify(gunzip)
/** Drops a byte order mark; throws at anything that is not UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true })
/** Size from which parsing and checking a body are worth a turn of the event loop each. */
const LARGE_BYTES = 128 * 1024

/** So much more of a body shows that it goes on: who sends byte by byte has us wait all the same. */
const RENEWING_BYTES = 16 * 1024

/** Whose body it is. */
export type Sender = Pick<Origin, 'request' | 'listener' | 'limits'>

/**
 * Reads the JSON body of a write, whatever its content type says.
 * @param maxBytes limit after decompression; a longer body is not read to its end
 * @param malformed which error a body that is no JSON gets
 * @param look is shown the bytes, unpacked, and waited for
 * @throws `no-data`, `write-too-big`, `malformed`, `body-too-slow`, `too-busy`
 * @see docs/protocol.md#bodies
 */
export async function readJson(
  sender: Sender,
  maxBytes: number,
  malformed: Extract<ErrorCode, 'bad-data' | 'bad-patch'>,
  look?: ((bytes: Uint8Array) => Promise<void>) | undefined,
): Promise<unknown> {
  const bytes = await readBody(sender, maxBytes, malformed)
  if (look !== undefined) await look(bytes)
  const json = parse(bytes, malformed)
  // Whoever asked for a large body now checks it; others get their turn in between.
  if (bytes.byteLength > LARGE_BYTES) await new Promise(setImmediate)
  return json
}

/**
 * What tells a body from others: its SHA-256 in base64. Made beside the loop, as bodies can be large.
 * @param bytes not of shared memory, which no body is
 */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('base64')
}

/** As `readJson`, for a body that is text to us. */
export async function readText(
  sender: Sender,
  maxBytes: number,
  malformed: Extract<ErrorCode, 'bad-data' | 'bad-patch'>,
): Promise<string> {
  const bytes = await readBody(sender, maxBytes, malformed)
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new DholeError(malformed, undefined, { cause })
  }
}

/** Longest body read only to be thrown away, in bytes. */
const MAX_DISCARDED_BYTES = 1024 * 1024

/**
 * Reads a body that nobody wants. An answer that comes before the body has been sent can be lost: over HTTP/2 the
 * listener then breaks the request off, and clients tell of that instead.
 */
export async function discardBody(sender: Sender): Promise<void> {
  const { request, limits } = sender
  if (limits.isCrowded || request.bodyUsed || request.body === null) return
  // One that is too long, comes too slowly, or does not end, is left alone.
  await readBytes(sender, MAX_DISCARDED_BYTES, 'bad-data').catch(() => {})
}

async function readBody(sender: Sender, maxBytes: number, malformed: ErrorCode): Promise<Uint8Array> {
  const sent = await readBytes(sender, maxBytes, malformed)
  const bytes = await decode(sent, sender.request.headers.get('content-encoding'), maxBytes, malformed)
  if (bytes.byteLength === 0) throw new DholeError('no-data')
  return bytes
}

function parse(bytes: Uint8Array, malformed: ErrorCode): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (cause) {
    throw new DholeError(malformed, undefined, { cause })
  }
}

async function readBytes(sender: Sender, maxBytes: number, malformed: ErrorCode): Promise<Uint8Array> {
  const { request } = sender
  const length = request.headers.get('content-length')
  if (length !== null && Number(length) > maxBytes) throw new DholeError('write-too-big')
  try {
    const bytes = await arrived(sender, length === null ? undefined : Number(length), maxBytes)
    noteReceived(request, bytes.byteLength)
    return bytes
  } catch (cause) {
    if (cause instanceof DholeError) throw cause
    // The client went away in the middle.
    throw new DholeError(malformed, undefined, { cause })
  }
}

/** Reads a body while the limits watch how fast it comes, and how much is held of it. */
async function arrived(sender: Sender, length: number | undefined, maxBytes: number): Promise<Uint8Array> {
  const { request, limits } = sender
  const stop = Promise.withResolvers<never>()
  // Whether anybody waits for it is not known here.
  stop.promise.catch(() => {})
  const cut = () => stop.reject(new DholeError('too-busy'))
  const awaited = limits.awaitBody(sender, cut)
  let soFar = 0
  let renewedAt = 0
  const callOff = limits.expect(
    () => soFar,
    () => stop.reject(new DholeError('body-too-slow')),
  )
  const isShort = length !== undefined && length <= LARGE_BYTES
  const holding = limits.hold({}, isShort ? length : 0, cut)
  try {
    // To look at the body makes a stream of it, which is not needed here.
    if (isShort) return await Promise.race([request.bytes(), stop.promise])
    if (request.body === null) return await request.bytes()
    return await readChunks(request.body, maxBytes, stop.promise, (held) => {
      soFar = held
      holding.resize(held)
      if (held - renewedAt < RENEWING_BYTES) return
      renewedAt = held
      awaited.renew()
    })
  } finally {
    awaited.over()
    callOff()
    holding.release()
  }
}

/** A long body, or one that does not say how long it is. @param stop rejects when it may not go on */
async function readChunks(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  stop: Promise<never>,
  onHeld: (bytes: number) => void,
): Promise<Uint8Array> {
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), stop])
      if (done) return Buffer.concat(chunks, length)
      length += value.byteLength
      if (length > maxBytes) throw new DholeError('write-too-big')
      chunks.push(value)
      onHeld(length)
    }
  } catch (error) {
    // Nobody waits for the rest; it may be that it never comes.
    reader.cancel().catch(() => {})
    throw error
  }
}

async function decode(
  bytes: Uint8Array,
  encoding: string | null,
  maxBytes: number,
  malformed: ErrorCode,
): Promise<Uint8Array> {
  switch (encoding?.trim().toLowerCase()) {
    case undefined:
    case '':
    case 'identity':
      return bytes
    case 'gzip':
    case 'x-gzip':
      return unzip(bytes, { maxOutputLength: maxBytes }).catch((cause: NodeJS.ErrnoException) => {
        const tooBig = cause.code === 'ERR_BUFFER_TOO_LARGE'
        throw new DholeError(tooBig ? 'write-too-big' : malformed, undefined, { cause })
      })
    default:
      throw new DholeError('bad-data', `Content-Encoding ${encoding} is not supported`)
  }
}
