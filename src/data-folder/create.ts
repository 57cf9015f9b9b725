import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../files/system-error.ts'

/** Permissions of the user of the server alone. */
const OWNER_ONLY = 0o700
const ENTIRELY = constants.R_OK | constants.W_OK | constants.X_OK
/** Folders of a data folder. They are created on demand. */
const FOLDERS = ['apps', 'secrets', 'tls']

/**
 * Creates the data folder, unless it exists.
 * @throws Error that names the folder that cannot be created, read or written
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
