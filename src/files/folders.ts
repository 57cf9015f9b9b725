import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { syncPath } from './sync-path.ts'

const OWNER_ONLY = 0o700

/**
 * Makes a folder and those above it that are missing. It is durable when this returns, whoever has made it: a folder
 * that is lost with the power takes along all that was synced in it, and one that is there may stem from a process that
 * was killed before it could sync.
 * Only the user of this process gets into the new ones.
 */
export function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY })
  let made = resolve(folder)
  for (let above = dirname(made); above !== made; above = dirname(made)) {
    syncIfAllowed(above)
    made = above
  }
}

/** Removes files that may be there. They stay away when this has returned, also after a power cut. */
export function removeFiles(files: readonly string[]): void {
  for (const file of files) rmSync(file, { force: true })
  for (const folder of new Set(files.map((file) => dirname(file)))) if (existsSync(folder)) syncPath(folder)
}

/** Folders far above belong to others: what cannot be opened or synced was not made here. */
function syncIfAllowed(folder: string): void {
  try {
    syncPath(folder)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && FOREIGN.has(String(error.code)))) throw error
  }
}

const FOREIGN = new Set(['EACCES', 'EPERM', 'EINVAL', 'EROFS'])
