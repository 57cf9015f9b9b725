import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Whoever runs the server, and nobody else. */
const OWNER_ONLY = 0o700
const ENTIRELY = constants.R_OK | constants.W_OK | constants.X_OK
/** The folders in it, made when they are needed. */
const FOLDERS = ['apps', 'secrets', 'tls']

/**
 * Makes the folder of the server, unless it is there.
 * @throws Error that names the folder that cannot be made, read or written
 */
export function makeDataFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: OWNER_ONLY })
  } catch (cause) {
    const problem = existsSync(dataDir) ? 'it is no folder' : messageOf(cause)
    throw new Error(`DATA_DIR: cannot make the folder ${dataDir}: ${problem}`, { cause })
  }
  checkFolder(dataDir)
  for (const folder of FOLDERS.map((name) => join(dataDir, name))) if (existsSync(folder)) checkFolder(folder)
}

function checkFolder(folder: string): void {
  if (!statSync(folder).isDirectory()) throw new Error(`DATA_DIR: ${folder} is no folder`)
  try {
    accessSync(folder, ENTIRELY)
  } catch (cause) {
    const user = process.getuid === undefined ? 'the user of this process' : `user ${process.getuid()}`
    throw new Error(`DATA_DIR: ${user} needs to read and write ${folder}: give it to that user, or set another`, {
      cause,
    })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
