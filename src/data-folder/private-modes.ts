import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'

/** What only the user of the server may read in a data folder; other files there are not the server's. */
const PRIVATE = ['apps', 'backups', 'secrets', 'tls', 'maintenance-lock']
/** Permissions of the group and of others. */
const OTHERS = 0o077
const PERMISSIONS = 0o777
/** A link in the place of the path is not followed, and a pipe does not block. */
const AS_IT_IS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** What was done about permissions of others. */
export interface Mended {
  /** Number of files and folders whose permissions were changed. */
  readonly changed: number
  /** One line for each that stays open to others. */
  readonly failed: readonly string[]
}

/**
 * Files and folders of a data folder that the group or others have any permission on, and that belong to the user of
 * this process. Left out are links below these folders and files with several names: they may be meant for others.
 */
export function openToOthers(dataDir: string): readonly string[] {
  const me = process.getuid?.()
  // A system without users has no such permissions.
  if (me === undefined) return []
  const open: string[] = []
  const look = (path: string, isLinkFollowed: boolean): void => {
    let found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.uid !== me) return
    // Operators put a folder on another disk with a link.
    if (found.isSymbolicLink() && isLinkFollowed) found = statSync(path, { throwIfNoEntry: false })
    const isFolder = found?.isDirectory() === true
    if (found?.uid !== me || !(isFolder || (found.isFile() && found.nlink === 1))) return
    if ((found.mode & OTHERS) !== 0) open.push(isLinkFollowed ? realpathSync(path) : path)
    if (isFolder) for (const name of namesIn(path)) look(join(path, name), false)
  }
  for (const name of PRIVATE) look(join(dataDir, name), true)
  return open
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // What its owner cannot read is not served either.
    return []
  }
}

/** Takes the permissions of the group and of others from what `openToOthers` finds. The trees must be closed. */
export function takeFromOthers(dataDir: string): Mended {
  const failed: string[] = []
  const open = openToOthers(dataDir)
  for (const path of open) {
    try {
      closeToOthers(path)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      failed.push(`others can read ${path}, and its permissions cannot be changed: ${reason}`)
    }
  }
  return { changed: open.length - failed.length, failed }
}

/** @throws Error when the permissions are the same afterwards, as on file systems that have none */
function closeToOthers(path: string): void {
  const descriptor = openSync(path, AS_IT_IS)
  try {
    const before = fstatSync(descriptor)
    fchmodSync(descriptor, before.mode & PERMISSIONS & ~OTHERS)
    if ((fstatSync(descriptor).mode & OTHERS) !== 0) throw new Error('the file system does not keep permissions')
  } finally {
    closeSync(descriptor)
  }
}
