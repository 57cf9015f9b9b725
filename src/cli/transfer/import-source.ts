import { createGunzip } from 'node:zlib'
import { codeOf } from '../../files/system-error.ts'
import { chunksOf, reason, STDIN } from '../terminal/input.ts'

/** Decompressed bytes at once. */
const PIECE_BYTES = 128 * 1024
const GZIP_MAGIC = [0x1f, 0x8b]

/** A gzip file that cannot be decompressed. */
export class DamagedError extends Error {
  constructor(cause: unknown) {
    super('what is packed is damaged', { cause })
  }
}

/**
 * The bytes of a file, or of standard input for `-`, in chunks; gzip is decompressed.
 * @param from bytes of the text to skip
 * @param onBytes receives the number of file bytes of each read
 * @throws Error when the file cannot be read, or its gzip data is damaged
 */
export async function* bytesOf(
  file: string,
  from: number,
  onBytes: (count: number) => void,
): AsyncGenerator<Uint8Array, void> {
  const isPacked = file !== STDIN && (await startsPacked(file))
  const start = isPacked || file === STDIN ? 0 : from
  onBytes(start)
  const pieces = readChunks(file, start, onBytes)
  try {
    if (isPacked) yield* skipped(unpacked(pieces), from)
    else if (file === STDIN) yield* unpackedIfPacked(pieces)
    else yield* pieces
  } catch (cause) {
    const code = codeOf(cause)
    if (code.startsWith('Z_') || code.startsWith('ERR_')) throw new DamagedError(cause)
    throw new Error(`cannot be read: ${reason(cause)}`, { cause })
  }
}

async function startsPacked(file: string): Promise<boolean> {
  try {
    return isPackedText(await Bun.file(file).slice(0, GZIP_MAGIC.length).bytes())
  } catch (cause) {
    throw new Error(`cannot be read: ${reason(cause)}`, { cause })
  }
}

function isPackedText(bytes: Uint8Array): boolean {
  return GZIP_MAGIC.every((byte, index) => bytes[index] === byte)
}

async function* readChunks(file: string, start: number, onBytes: (count: number) => void): AsyncGenerator<Uint8Array> {
  for await (const piece of chunksOf(file, start)) {
    onBytes(piece.length)
    yield piece
  }
}

async function* unpackedIfPacked(pieces: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { value: first } = await pieces.next()
  if (first === undefined) return
  async function* all(): AsyncGenerator<Uint8Array> {
    yield first as Uint8Array
    yield* pieces
  }
  yield* isPackedText(first) ? unpacked(all()) : all()
}

async function* unpacked(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { Readable, pipeline } = await import('node:stream')
  const unzip = createGunzip({ chunkSize: PIECE_BYTES })
  // The reader of `unzip` gets the errors.
  pipeline(Readable.from(pieces, { objectMode: false }), unzip, () => {})
  yield* unzip as AsyncIterable<Uint8Array>
}

async function* skipped(pieces: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let left = count
  for await (const piece of pieces) {
    if (piece.length > left) yield left === 0 ? piece : piece.subarray(left)
    left = Math.max(0, left - piece.length)
  }
}
