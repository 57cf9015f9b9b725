import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../files/system-error.ts'
import type { Steps } from '../scheduling/steps.ts'

/** Private files and folders of a data folder. Other files there do not belong to the server. */
const PRIVATE = ['apps', 'backups', 'secrets', 'tls', 'maintenance-lock', 'operator.secret']
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
  return [...openInSteps(dataDir)].filter((path) => path !== undefined)
}

/** Paths as `openToOthers`, folders before what is in them, and `undefined` for every other file. */
function* openInSteps(dataDir: string): Generator<string | undefined> {
  for (const name of PRIVATE) {
    const path = join(dataDir, name)
    const found = ownOf(path, true)
    // Operators use links to put a folder on another disk.
    if (found !== undefined) yield* openBelow(realpathSync(path), found)
  }
}

function* openBelow(path: string, found: Stats): Generator<string | undefined> {
  yield (found.mode & OTHERS) === 0 ? undefined : path
  if (!found.isDirectory()) return
  for (const name of namesIn(path)) {
    const below = join(path, name)
    const entry = ownOf(below, false)
    if (entry !== undefined) yield* openBelow(below, entry)
  }
}

/** A folder, or a file with one name, that belongs to this user; `undefined` for everything else. */
function ownOf(path: string, isLinkFollowed: boolean): Stats | undefined {
  const me = process.getuid?.()
  // The system has no users, and so no such permissions.
  if (me === undefined) return undefined
  let found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.uid !== me) return undefined
  if (found.isSymbolicLink() && isLinkFollowed) found = statSync(path, { throwIfNoEntry: false })
  if (found?.uid !== me) return undefined
  return found.isDirectory() || (found.isFile() && found.nlink === 1) ? found : undefined
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // The owner cannot read the folder, so the server does not serve it, or it is gone.
    return []
  }
}

/**
 * Removes the permissions of the group and of others from the private folders themselves: nothing below them can be
 * reached then, however many files there are.
 */
export function closeFolders(dataDir: string): RemovedPermissions {
  return removeFrom(
    PRIVATE.flatMap((name) => {
      const path = join(dataDir, name)
      const found = ownOf(path, true)
      return found === undefined || (found.mode & OTHERS) === 0 ? [] : [realpathSync(path)]
    }),
    makePrivate,
  )
}

/**
 * Removes the permissions of the group and of others from everything in the private folders, which must be closed to
 * them: no other user may replace a file by a link meanwhile. The trees may be open.
 */
export function* removePermissionsOfOthers(dataDir: string): Steps<RemovedPermissions> {
  let changed = 0
  const failed: string[] = []
  for (const path of openInSteps(dataDir)) {
    if (path !== undefined) {
      const removed = removeFrom([path], changeMode)
      changed += removed.changed
      failed.push(...removed.failed)
    }
    yield
  }
  return { changed, failed }
}

function removeFrom(open: readonly string[], remove: (path: string) => void): RemovedPermissions {
  const failed: string[] = []
  for (const path of open) {
    try {
      remove(path)
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
    fchmodSync(descriptor, privateMode(fstatSync(descriptor)))
    checkKept(fstatSync(descriptor))
  } finally {
    closeSync(descriptor)
  }
}

/** Does not open the file: closing it would end the locks that this process has on an open tree. @throws as `makePrivate` */
function changeMode(path: string): void {
  const before = lstatSync(path)
  chmodSync(path, privateMode(before))
  checkKept(lstatSync(path))
}

function privateMode({ mode }: Stats): number {
  return mode & PERMISSIONS & ~OTHERS
}

function checkKept({ mode }: Stats): void {
  if ((mode & OTHERS) !== 0) throw new Error('the file system does not keep permissions')
}
