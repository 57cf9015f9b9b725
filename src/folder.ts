import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder and those above it that are missing. It is durable when this returns, whoever has made it: a folder
 * that is lost with the power takes along all that was synced in it, and one that is there may stem from a process that
 * was killed before it could sync.
 * @param mode permissions of new ones
 */
export function makeFolder(folder: string, mode?: number): void {
  mkdirSync(folder, { recursive: true, ...(mode === undefined ? {} : { mode }) })
  let made = resolve(folder)
  for (let above = dirname(made); above !== made; above = dirname(made)) {
    syncIfAllowed(above)
    made = above
  }
}

/** Folders far above belong to others: what cannot be opened or synced was not made here. */
function syncIfAllowed(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && FOREIGN.has(String(error.code)))) throw error
  }
}

const FOREIGN = new Set(['EACCES', 'EPERM', 'EINVAL', 'EROFS'])
