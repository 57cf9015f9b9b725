import { DholeError, type ErrorCode } from '../../error.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { loopTurn } from '../../scheduling/loop-turn.ts'
import type { Steps } from '../../scheduling/steps.ts'
import { inTurns } from '../../scheduling/turns.ts'
import type { Exchange } from '../exchange.ts'
import type { AbortReason, Transfer } from '../limits/transfer.ts'

/** Largest body that is parsed and checked in one turn of the event loop, in bytes. */
export const LARGE_BYTES = 128 * 1024

/** A body that is received or processed. */
export interface IncomingBody {
  readonly transfer: Transfer
  /** Rejects when the limits abort it. */
  readonly aborted: Promise<never>
  /** @throws the reason if the limits have aborted it */
  readonly check: () => void
}

/** Length in bytes that the request states; `undefined` where it states none. */
export function statedLength({ headers }: Request): number | undefined {
  const length = headers.get('content-length')
  return length === null ? undefined : Number(length)
}

/** Begins to receive a body. */
export function receive(exchange: Exchange): IncomingBody {
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

export function abortError(reason: AbortReason): DholeError {
  return new DholeError(reason === 'too-slow' ? 'body-too-slow' : reason)
}

/**
 * Receives a whole body.
 * @param malformed error where the client disconnects
 * @throws `write-too-big`, `malformed`, `too-busy`, `body-too-slow`
 */
export async function receiveBytes(
  exchange: Exchange,
  maxBytes: number,
  malformed: ErrorCode,
  incoming: IncomingBody,
): Promise<Uint8Array> {
  const { request } = exchange
  const length = statedLength(request)
  if (length !== undefined && length > maxBytes) throw new DholeError('write-too-big')
  try {
    const bytes = await arrived(request, length, maxBytes, incoming)
    exchange.bytesIn = bytes.byteLength
    return bytes
  } catch (cause) {
    throw cause instanceof DholeError ? cause : new DholeError(malformed, undefined, { cause })
  }
}

/** Reads a body while the limits bound its pace and its memory. */
async function arrived(
  request: Request,
  length: number | undefined,
  maxBytes: number,
  { transfer, aborted, check }: IncomingBody,
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

/** Bytes copied between two pauses. */
const STEP_BYTES = 256 * 1024

/** The chunks as one array, copied in several turns of the event loop where they are long. */
function concatenated(chunks: readonly Uint8Array[], length: number): Awaitable<Uint8Array> {
  return length <= LARGE_BYTES ? Buffer.concat(chunks, length) : inTurns(concatInSteps(chunks, length))
}

function* concatInSteps(chunks: readonly Uint8Array[], length: number): Steps<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const chunk of chunks) {
    for (let start = 0; start < chunk.byteLength; start += STEP_BYTES) {
      const part = chunk.subarray(start, start + STEP_BYTES)
      bytes.set(part, at)
      at += part.byteLength
      yield
    }
  }
  return bytes
}

/** Reads a body that is long, or of unknown length. @param aborted rejects when the limits abort it */
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
      if (done) return await concatenated(chunks, length)
      length += value.byteLength
      if (length > maxBytes) throw new DholeError('write-too-big')
      chunks.push(value)
      onChunk(value.byteLength)
      // All that has arrived can be read in one turn, and many bodies may have.
      if (loopTurn.isOver) await loopTurn.pause()
    }
  } catch (error) {
    // The rest may never arrive, so the cancellation is not awaited.
    reader.cancel().catch(() => {})
    throw error
  }
}
