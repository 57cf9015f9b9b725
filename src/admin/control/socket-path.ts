import { join } from 'node:path'

/** Maximum length of a socket path that every system accepts, in bytes. */
const MAX_PATH_BYTES = 100

/** Control socket of the server of a folder; `undefined` when the path is too long for a socket. */
export function socketPath(dataDir: string): string | undefined {
  const path = join(dataDir, 'control.sock')
  return Buffer.byteLength(path) > MAX_PATH_BYTES ? undefined : path
}
