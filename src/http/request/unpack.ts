import { createGunzip } from 'node:zlib'
import { DholeError, type ErrorCode } from '../../error.ts'

/** Bytes unpacked at a time: between two pieces other work runs, and the reader may be aborted. */
const PIECE_BYTES = 64 * 1024
/** Start of a gzip member: two magic bytes and the only compression method. */
const MAGIC = [0x1f, 0x8b, 8] as const
/** The last four bytes of a gzip member hold its unpacked length, modulo 2^32. */
const LENGTH_BYTES = 4
/** Header and trailer of a member. */
const LEAST_BYTES = 18

export interface UnpackOptions {
  /** Most bytes unpacked; the rest is never produced. */
  readonly limit: number
  /** Error of a body that is not gzip. */
  readonly malformed: ErrorCode
  /** Called with the unpacked length so far before the next piece is unpacked; an exception ends the work. */
  readonly onPiece: (bytes: number) => void
}

/**
 * Unpacked length that a gzip body states. A body of several members, or a forged one, may unpack to more.
 * @returns bytes; `undefined` for a body that is not gzip
 */
export function claimedLength(packed: Uint8Array): number | undefined {
  if (packed.byteLength < LEAST_BYTES || MAGIC.some((byte, index) => packed[index] !== byte)) return undefined
  return new DataView(packed.buffer, packed.byteOffset).getUint32(packed.byteLength - LENGTH_BYTES, true)
}

/**
 * Unpacks a gzip body piece by piece, off the event loop.
 * @returns `undefined` when it is longer than the limit
 * @throws the error named as `malformed`, and errors of `onPiece`
 */
export async function unpack(packed: Uint8Array, options: UnpackOptions): Promise<Uint8Array | undefined> {
  const { limit, malformed, onPiece } = options
  let unpacked = Buffer.allocUnsafeSlow(Math.min(claimedLength(packed) ?? 0, limit))
  let length = 0
  try {
    for await (const piece of gunzipped(packed)) {
      const end = length + piece.byteLength
      if (end > limit) return undefined
      if (end > unpacked.byteLength) unpacked = grown(unpacked, Math.min(Math.max(end, 2 * unpacked.byteLength), limit))
      unpacked.set(piece, length)
      length = end
      onPiece(length)
    }
  } catch (cause) {
    if (cause instanceof DholeError) throw cause
    throw new DholeError(malformed, undefined, { cause })
  }
  return unpacked.subarray(0, length)
}

/** Ending the iteration early ends the work. */
function gunzipped(packed: Uint8Array): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES })
  gunzip.end(packed)
  return gunzip
}

function grown(buffer: Buffer<ArrayBuffer>, bytes: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(bytes)
  larger.set(buffer)
  return larger
}
