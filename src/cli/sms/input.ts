import { createReadStream, statSync } from 'node:fs'
import { reason, STDIN } from '../terminal/input.ts'

/** Bytes read at once. */
const PIECE_BYTES = 64 * 1024

/** Size of a file in bytes; `undefined` for standard input and devices. */
export function sizeOf(file: string): number | undefined {
  const found = file === STDIN ? undefined : statSync(file, { throwIfNoEntry: false })
  return found?.isFile() ? found.size : undefined
}

/**
 * The text of a file, or of standard input for `-`, in chunks, without a byte order mark.
 * @param onBytes receives the length of each chunk
 * @throws Error when the file cannot be read or is no text
 */
export async function* textOf(file: string, onBytes: (count: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const bytes of bytesOf(file)) {
    onBytes(bytes.length)
    yield decoded(() => decoder.decode(bytes, { stream: true }))
  }
  yield decoded(() => decoder.decode())
}

async function* bytesOf(file: string): AsyncGenerator<Uint8Array> {
  const input = file === STDIN ? process.stdin : createReadStream(file, { highWaterMark: PIECE_BYTES })
  try {
    yield* input as AsyncIterable<Uint8Array>
  } catch (cause) {
    throw new Error(`cannot be read: ${reason(cause)}`, { cause })
  }
}

function decoded(decode: () => string): string {
  try {
    return decode()
  } catch (cause) {
    throw new Error('not UTF-8 text', { cause })
  }
}
