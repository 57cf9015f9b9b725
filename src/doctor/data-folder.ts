import { accessSync, constants, existsSync, lstatSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openToOthers } from '../data-folder/private-modes.ts'
import { readSecret } from '../data-folder/secret-file.ts'
import { sizeOf } from '../files/file-size.ts'
import { messageOf } from '../files/system-error.ts'
import { type CheckResult, ok, problem, warning } from './check-result.ts'

const MEBI = 1024 * 1024
/** One burst of writes can fill less than this. */
const MIN_FREE_BYTES = 64 * MEBI
/** Space for the log of a busy tree and the backup of a small one. */
const GOOD_FREE_BYTES = 1024 * MEBI
/** Folders that a server reads and writes. */
const FOLDERS = ['apps', 'secrets', 'tls']
/** Maximum names in one result. */
const MAX_NAMES = 10
const OTHERS = 0o077
const PERMISSIONS = 0o777
/** Suffix of a file that is being written. */
const UNFINISHED = /\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Checks that the folder exists, that others have no access, and the free disk space. */
export function* checkFolder(dataDir: string): Generator<CheckResult, void> {
  const check = `folder ${dataDir}`
  const found = statSync(dataDir, { throwIfNoEntry: false })
  if (found === undefined || !found.isDirectory()) {
    yield problem(check, 'there is no such folder', 'name it with --data-dir, or start the server once')
    return
  }
  if (!isOwn(found.uid)) {
    yield problem(check, 'it belongs to another user', 'run this as the user of the server')
  } else if ((found.mode & OTHERS) !== 0) {
    yield warning(check, `others can read it (${octal(found.mode)})`, `chmod 700 ${dataDir}`)
  } else yield ok(check, `only its owner can read it (${octal(found.mode)})`)
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    yield problem(check, 'it cannot be written', 'give its user write permission; is its disk mounted read-only?')
  }
  yield checkDiskSpace(dataDir)
}

function checkDiskSpace(dataDir: string): CheckResult {
  const { bavail, bsize } = statfsSync(dataDir)
  const free = bavail * bsize
  const found = `${Math.round(free / MEBI)} MiB free`
  if (free < MIN_FREE_BYTES) return problem('disk', found, 'free disk space: writes fail soon')
  if (free < GOOD_FREE_BYTES)
    return warning('disk', found, 'free disk space: a burst of writes or a backup may fill it')
  return ok('disk', found)
}

/**
 * Checks that all files of the server belong to the owner of the folder: root may have created some. Stops at folders
 * that cannot be read.
 * @returns whether every folder can be read
 */
export function* checkOwners(dataDir: string): Generator<CheckResult, boolean> {
  const { uid } = statSync(dataDir)
  const foreign: string[] = []
  let isReadable = true
  for (const folder of ['.', ...FOLDERS].map((name) => join(dataDir, name)).filter((each) => existsSync(each))) {
    try {
      foreign.push(...foreignIn(folder, uid))
    } catch (error) {
      isReadable = false
      if (statSync(folder).uid === uid) yield problem(`folder ${folder}`, messageOf(error), `chmod 700 ${folder}`)
    }
  }
  if (!isReadable && foreign.length === 0) return false
  if (foreign.length === 0) yield ok('owners', 'all in the folder belongs to its owner')
  else {
    yield problem('owners', `not of the owner of the folder: ${listed(foreign)}`, `chown -R ${uid} ${dataDir}`)
  }
  return isReadable
}

/** Checks that others have no permissions. A server removes such permissions when it starts. */
export function* checkPermissions(dataDir: string): Generator<CheckResult, void> {
  const open = openToOthers(dataDir)
  if (open.length === 0) return
  yield warning(
    'permissions',
    `others have permissions on ${listed(open)}`,
    'start the server again: it takes them away',
  )
}

function listed(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : ''
  return names.slice(0, MAX_NAMES).join(', ') + more
}

function foreignIn(folder: string, owner: number): string[] {
  // Temporary files may be gone by now.
  return filesOf(folder).filter((path) => (lstatSync(path, { throwIfNoEntry: false })?.uid ?? owner) !== owner)
}

/** Checks that each key is long enough and that only its owner can read it. */
export function* checkSecrets(dataDir: string): Generator<CheckResult, void> {
  const folder = join(dataDir, 'secrets')
  const files = [...filesOf(folder, /\.(secret|sms)$/), ...filesOf(dataDir, /^operator\.secret$/)]
  let wrong = 0
  for (const file of files) {
    const check = `key ${file}`
    const found = checkPrivateFile(check, file) ?? checkSecret(check, file)
    if (found === undefined) continue
    wrong++
    yield found
  }
  if (wrong === 0) yield ok('keys', `${files.length} files, only their owner can read them`)
}

function checkSecret(check: string, file: string): CheckResult | undefined {
  try {
    readSecret(file)
    return undefined
  } catch (error) {
    return problem(check, messageOf(error), 'restore it from a backup with keys, or `dhole apps rotate`')
  }
}

/** Checks the owner and the permissions of a private file. @returns `undefined` when both are right */
export function checkPrivateFile(check: string, file: string): CheckResult | undefined {
  const { mode, uid } = statSync(file)
  if (!isOwn(uid)) return problem(check, 'it belongs to another user', `chown it to the user of the server`)
  if ((mode & OTHERS) === 0) return undefined
  return problem(
    check,
    `others can read it (${octal(mode)})`,
    `chmod 600 ${file}, and rotate it if others have read it`,
  )
}

/** Checks for unfinished and unused files. @param known applications of the folder */
export function* checkLeftovers(dataDir: string, known: ReadonlySet<string>): Generator<CheckResult, void> {
  const apps = namesIn(join(dataDir, 'apps'))
  const unfinished = [
    ...filesOf(join(dataDir, 'apps'), /\.sqlite\.restoring-/),
    ...filesOf(join(dataDir, 'backups'), /\.unfinished-/),
    ...['apps', 'secrets'].flatMap((folder) => filesOf(join(dataDir, folder), UNFINISHED)),
  ]
  for (const file of unfinished) yield warning(`leftover ${file}`, 'it was never finished', 'delete it')
  for (const name of apps.filter((each) => each.endsWith('.sqlite-restore'))) {
    yield warning(`restore ${name}`, 'it was interrupted', 'nothing: the next opening of the tree completes it')
  }
  const copies = apps.filter((name) => name.endsWith('.sqlite.copying'))
  for (const name of copies) yield warning(`copy ${name}`, 'it is not complete', 'run the same `dhole copy` again')
  for (const name of apps.filter((each) => each.endsWith('.sqlite') && !known.has(each.slice(0, -'.sqlite'.length)))) {
    yield warning(
      `tree ${name}`,
      'no application has it',
      'set APP_ID to its name if it is of the default application, `dhole apps add` it, or delete it',
    )
  }
  const kept = apps.filter((name) => name.includes('.sqlite.before-restore-'))
  if (kept.length > 0) {
    const bytes = kept.reduce((sum, name) => sum + sizeOf(join(dataDir, 'apps', name)), 0)
    yield ok('trees of before a restore', `${kept.length} files, ${Math.ceil(bytes / MEBI)} MiB: delete them when done`)
  }
  if (unfinished.length + copies.length === 0) yield ok('leftovers', 'nothing unfinished')
}

function filesOf(folder: string, pattern = /^/): readonly string[] {
  return namesIn(folder)
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name))
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : []
}

/** Whether a file belongs to this user. Root has access to every file. */
function isOwn(uid: number): boolean {
  const me = process.getuid?.()
  return me === undefined || me === 0 || me === uid
}

function octal(mode: number): string {
  return (mode & PERMISSIONS).toString(8).padStart(4, '0')
}
