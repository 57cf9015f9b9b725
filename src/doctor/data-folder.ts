import { accessSync, constants, existsSync, lstatSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openToOthers } from '../data-folder/private-modes.ts'
import { readSecret } from '../data-folder/secret-file.ts'
import { type Finding, ok, problem, reasonOf, warning } from './check-result.ts'

const MEBI = 1024 * 1024
/** Less than this is filled by one burst of writes. */
const LEAST_FREE_BYTES = 64 * MEBI
/** The log of a busy tree, a copy of a small one, and some time to do something. */
const GOOD_FREE_BYTES = 1024 * MEBI
/** What a server reads and writes. */
const FOLDERS = ['apps', 'secrets', 'tls']
/** Names after which nobody needs more. */
const MOST_NAMED = 10
const OTHERS = 0o077
const PERMISSIONS = 0o777
/** The name of a file that is being written, behind that of the file it will be. */
const UNFINISHED = /\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether the folder is there and ours alone, and whether there is room. Without the first finding nothing else is. */
export function* lookAtFolder(dataDir: string): Generator<Finding, void> {
  const check = `folder ${dataDir}`
  const found = statSync(dataDir, { throwIfNoEntry: false })
  if (found === undefined || !found.isDirectory()) {
    yield problem(check, 'there is no such folder', 'name it with --data-dir, or start the server once')
    return
  }
  if (!isOwn(found.uid)) {
    yield problem(check, 'it belongs to another user', 'run this as the user of the server')
  } else if ((found.mode & OTHERS) !== 0) {
    yield warning(check, `others can look into it (${octal(found.mode)})`, `chmod 700 ${dataDir}`)
  } else yield ok(check, `only its owner gets in (${octal(found.mode)})`)
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    yield problem(check, 'it cannot be written to', 'give its user write permission; is its disk mounted read-only?')
  }
  yield lookAtRoom(dataDir)
}

function lookAtRoom(dataDir: string): Finding {
  const { bavail, bsize } = statfsSync(dataDir)
  const free = bavail * bsize
  const found = `${Math.round(free / MEBI)} MiB free`
  if (free < LEAST_FREE_BYTES) return problem('disk', found, 'make room: soon nothing can be written any more')
  if (free < GOOD_FREE_BYTES) return warning('disk', found, 'make room: a burst of writes or a backup may fill it')
  return ok('disk', found)
}

/**
 * Whether all that the server needs belongs to the owner of the folder: root may have made some of it. What cannot be
 * read is not looked at any further.
 * @returns whether every folder can be read
 */
export function* lookAtOwners(dataDir: string): Generator<Finding, boolean> {
  const { uid } = statSync(dataDir)
  const foreign: string[] = []
  let isReadable = true
  for (const folder of ['.', ...FOLDERS].map((name) => join(dataDir, name)).filter((each) => existsSync(each))) {
    try {
      foreign.push(...foreignIn(folder, uid))
    } catch (error) {
      isReadable = false
      if (statSync(folder).uid === uid) yield problem(`folder ${folder}`, reasonOf(error), `chmod 700 ${folder}`)
    }
  }
  if (!isReadable && foreign.length === 0) return false
  if (foreign.length === 0) yield ok('owners', 'all in the folder belongs to its owner')
  else {
    const more = foreign.length > MOST_NAMED ? `, and ${foreign.length - MOST_NAMED} more` : ''
    const found = `not of the owner of the folder: ${foreign.slice(0, MOST_NAMED).join(', ')}${more}`
    yield problem('owners', found, `chown -R ${uid} ${dataDir}`)
  }
  return isReadable
}

/** Whether others can read what the server keeps: a server takes these permissions away when it starts. */
export function* lookAtPermissions(dataDir: string): Generator<Finding, void> {
  const open = openToOthers(dataDir)
  if (open.length === 0) return
  const more = open.length > MOST_NAMED ? `, and ${open.length - MOST_NAMED} more` : ''
  const found = `others have permissions on ${open.slice(0, MOST_NAMED).join(', ')}${more}`
  yield warning('permissions', found, 'start the server again: it takes them away')
}

function foreignIn(folder: string, owner: number): string[] {
  const paths = namesIn(folder).map((name) => join(folder, name))
  // What is there only for moments may be gone by now.
  return paths.filter((path) => (lstatSync(path, { throwIfNoEntry: false })?.uid ?? owner) !== owner)
}

/** Whether each key is long enough and only its owner can read it. */
export function* lookAtSecrets(dataDir: string): Generator<Finding, void> {
  const folder = join(dataDir, 'secrets')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /\.(secret|sms)$/.test(name)) : []
  let wrong = 0
  for (const name of names) {
    const file = join(folder, name)
    const check = `key ${file}`
    const found = lookAtPrivateFile(check, file) ?? lookAtSecret(check, file)
    if (found === undefined) continue
    wrong++
    yield found
  }
  if (wrong === 0) yield ok('keys', `${names.length} files, only their owner can read them`)
}

function lookAtSecret(check: string, file: string): Finding | undefined {
  try {
    readSecret(file)
    return undefined
  } catch (error) {
    return problem(check, reasonOf(error), 'restore it from a backup with keys, or `dhole apps rotate`')
  }
}

/** @returns what is wrong with the permissions of a file that nobody else may read */
export function lookAtPrivateFile(check: string, file: string): Finding | undefined {
  const { mode, uid } = statSync(file)
  if (!isOwn(uid)) return problem(check, 'it belongs to another user', `chown it to the user of the server`)
  if ((mode & OTHERS) === 0) return undefined
  return problem(check, `others can read it (${octal(mode)})`, `chmod 600 ${file}, and rotate it if somebody has`)
}

/** What was begun and not ended, and what nobody needs any more. @param known applications of the folder */
export function* lookAtLeftovers(dataDir: string, known: ReadonlySet<string>): Generator<Finding, void> {
  const apps = namesIn(join(dataDir, 'apps'))
  const unfinished = [
    ...apps.filter((name) => name.includes('.sqlite.restoring-')).map((name) => join(dataDir, 'apps', name)),
    ...namesIn(join(dataDir, 'backups'))
      .filter((name) => name.includes('.unfinished-'))
      .map((name) => join(dataDir, 'backups', name)),
    ...['apps', 'secrets'].flatMap((folder) =>
      namesIn(join(dataDir, folder))
        .filter((name) => UNFINISHED.test(name))
        .map((name) => join(dataDir, folder, name)),
    ),
  ]
  for (const file of unfinished) yield warning(`leftover ${file}`, 'it was never finished', 'delete it')
  for (const name of apps.filter((each) => each.endsWith('.sqlite-restore'))) {
    yield warning(`restore ${name}`, 'it was interrupted', 'nothing: whoever opens the tree next ends it')
  }
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
  if (unfinished.length === 0) yield ok('leftovers', 'nothing unfinished')
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : []
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** The one who may do everything may also look everywhere. */
function isOwn(uid: number): boolean {
  const me = process.getuid?.()
  return me === undefined || me === 0 || me === uid
}

function octal(mode: number): string {
  return (mode & PERMISSIONS).toString(8).padStart(4, '0')
}
