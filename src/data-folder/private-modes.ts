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
import { messageOf } from '../files/system-error.ts'

/** Private files and folders of a data folder. Other files there do not belong to the server. */
const PRIVATE = ['apps', 'backups', 'secrets', 'tls', 'maintenance-lock']
/** Permissions of the group and of others. */
const OTHERS = 0o077
const PERMISSIONS = 0o777
/** Does not follow a link, and does not block on a pipe. */
const WITHOUT_FOLLOWING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Result of removing permissions. */
export interface RemovedPermissions {
  /** Number of changed files and folders. */
  readonly changed: number
  /** One error text per file or folder that others can still read. */
  readonly failed: readonly string[]
}

/**
 * Files and folders of a data folder on which the group or others have permissions, and which belong to this user.
 * Leaves out links and files with several names: the operator may share them on purpose.
 */
export function openToOthers(dataDir: string): readonly string[] {
  const me = process.getuid?.()
  // The system has no users, and so no such permissions.
  if (me === undefined) return []
  const open: string[] = []
  const visit = (path: string, isLinkFollowed: boolean): void => {
    let found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.uid !== me) return
    // Operators use links to put a folder on another disk.
    if (found.isSymbolicLink() && isLinkFollowed) found = statSync(path, { throwIfNoEntry: false })
    const isFolder = found?.isDirectory() === true
    if (found?.uid !== me || !(isFolder || (found.isFile() && found.nlink === 1))) return
    if ((found.mode & OTHERS) !== 0) open.push(isLinkFollowed ? realpathSync(path) : path)
    if (isFolder) for (const name of namesIn(path)) visit(join(path, name), false)
  }
  for (const name of PRIVATE) visit(join(dataDir, name), true)
  return open
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // The owner cannot read the folder, so the server does not serve it.
    return []
  }
}

/** Removes the permissions of the group and of others. The trees must be closed. */
export function removePermissionsOfOthers(dataDir: string): RemovedPermissions {
  const failed: string[] = []
  const open = openToOthers(dataDir)
  for (const path of open) {
    try {
      makePrivate(path)
    } catch (error) {
      failed.push(`others can read ${path}, and its permissions cannot be changed: ${messageOf(error)}`)
    }
  }
  return { changed: open.length - failed.length, failed }
}

/** @throws Error when the permissions stay, as on file systems without permissions */
function makePrivate(path: string): void {
  const descriptor = openSync(path, WITHOUT_FOLLOWING)
  try {
    const before = fstatSync(descriptor)
    fchmodSync(descriptor, before.mode & PERMISSIONS & ~OTHERS)
    if ((fstatSync(descriptor).mode & OTHERS) !== 0) throw new Error('the file system does not keep permissions')
  } finally {
    closeSync(descriptor)
  }
}
