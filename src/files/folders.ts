import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { syncPath } from './sync-path.ts'
import { codeOf } from './system-error.ts'

const OWNER_ONLY = 0o700

/**
 * Creates a folder and its missing parents, for this user alone. The folder is durable when this returns, even when
 * another process has created it: that process may have been killed before it could sync.
 */
export function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY })
  let current = resolve(folder)
  for (let parent = dirname(current); parent !== current; parent = dirname(current)) {
    syncIfAllowed(parent)
    current = parent
  }
}

/** Removes files that may exist. The removal is durable when this returns. */
export function removeFiles(files: readonly string[]): void {
  for (const file of files) rmSync(file, { force: true })
  for (const folder of new Set(files.map((file) => dirname(file)))) if (existsSync(folder)) syncPath(folder)
}

/** Skips parent folders of other users: this process has not created them. */
function syncIfAllowed(folder: string): void {
  try {
    syncPath(folder)
  } catch (error) {
    if (!FOREIGN.has(codeOf(error))) throw error
  }
}

const FOREIGN = new Set(['EACCES', 'EPERM', 'EINVAL', 'EROFS'])
