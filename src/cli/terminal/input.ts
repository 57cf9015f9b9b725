import { createReadStream, statSync } from 'node:fs'
import { codeOf } from '../../files/system-error.ts'

/** Bytes read at once. */
const CHUNK_BYTES = 128 * 1024
/** Standard input in place of a file. */
export const STDIN = '-'

/** Name of a file in messages. */
export function fileName(file: string): string {
  return file === STDIN ? '<stdin>' : file
}

/** Size of a file in bytes; `undefined` for standard input and devices. */
export function sizeOf(file: string): number | undefined {
  const found = file === STDIN ? undefined : statSync(file, { throwIfNoEntry: false })
  return found?.isFile() ? found.size : undefined
}

/** The bytes of a file, or of standard input for `-`, in chunks. @param start offset of the first byte of a file */
export function chunksOf(file: string, start = 0): AsyncIterable<Uint8Array> {
  return file === STDIN ? process.stdin : createReadStream(file, { highWaterMark: CHUNK_BYTES, start })
}

/**
 * The text of a file, or of standard input for `-`, without a byte order mark.
 * @throws Error with the name of the file when it cannot be read or is no text
 */
export async function readText(file: string): Promise<string> {
  const bytes = await readBytes(file)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new Error(`${fileName(file)}: not UTF-8 text`, { cause })
  }
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await (file === STDIN ? Bun.stdin : Bun.file(file)).bytes()
  } catch (cause) {
    throw new Error(`${fileName(file)}: cannot be read: ${reason(cause)}`, { cause })
  }
}

/** Reason of a failed read, for messages. */
export function reason(cause: unknown): string {
  const code = codeOf(cause)
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EISDIR') return 'it is a folder'
  return code || String(cause)
}
