import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import program from '../../../package.json' with { type: 'json' }
import { isApplicationId } from '../../applications/application-id.ts'
import { lockFolder } from '../../data-folder/restore-lock.ts'
import { readSecret, secretFile, smsKeyFile, writeSecret } from '../../data-folder/secret-file.ts'
import { treeFile } from '../../data-folder/tree-file.ts'
import { makeFolder } from '../../files/folders.ts'
import { writePrivately } from '../../files/private-file.ts'
import { syncPath } from '../../files/sync-path.ts'
import { copyAndExamine } from '../../store/sqlite/check/check-client.ts'
import { digest } from '../../store/sqlite/check/examine.ts'
import { tellProblems } from '../../store/sqlite/check/problem.ts'
import type { Administration } from '../administration.ts'
import { Registry } from '../registry.ts'
import { type BackedUpApplication, type Manifest, manifestFile, manifestFormat } from './manifest.ts'

/** The log of a tree may grow so far, or to the size of the tree, while that is copied. */
const MOST_LOG_BYTES = 1024 ** 3
const LOOK_MS = 100

export interface BackupOptions {
  readonly dataDir: string
  /** The folder that is made. */
  readonly target: string
  /** Applications; `undefined` for all. */
  readonly ids: readonly string[] | undefined
  readonly withSecrets: boolean
}

/** Hears how far a backup is. */
export interface BackupWatcher {
  /** @param bytes of this tree that are copied, of about so many */
  onCopying(bytes: number, total: number): void
  /** A tree is copied and nothing is wrong with the copy. */
  onCopied(id: string, tree: NonNullable<BackedUpApplication['tree']>): void
}

/**
 * Copies the trees of a folder into a new one, each as of one commit, and whatever runs on them goes on. Trees are read
 * by this process, not by the server: that is only asked whether all that was copied is durable. The new folder appears
 * when all of it is there, examined and durable.
 * @throws Error when the target is there, an application is not, a tree is damaged, or there is no room
 * @see docs/how-to/back-up-and-restore.md#backing-up
 */
export async function makeBackup(
  { dataDir, target, ids, withSecrets }: BackupOptions,
  administration: Administration,
  watcher: BackupWatcher,
): Promise<Manifest> {
  if (existsSync(target)) throw new Error(`${target} is there already: a backup is a new folder`)
  if (!existsSync(dataDir)) throw new Error(`there is no ${dataDir}`)
  using _ = lockFolder(dataDir, 'shared')
  const madeAt = new Date().toISOString()
  const chosen = await chooseApplications(dataDir, administration, ids)
  const whole = resolve(target)
  const folder = `${whole}.unfinished-${crypto.randomUUID().slice(0, 8)}`
  makeFolder(folder)
  using cleaning = new UnfinishedFolder(folder)
  const applications: BackedUpApplication[] = []
  for (const id of chosen) {
    applications.push(await backUp(id, { dataDir, folder, withSecrets }, administration, watcher))
  }
  const manifest = { format: manifestFormat, dhole: program.version, madeAt, withSecrets, applications } as const
  writePrivately(manifestFile(folder), `${JSON.stringify(manifest, undefined, 2)}\n`)
  renameSync(folder, whole)
  cleaning.keep()
  syncPath(dirname(whole))
  return manifest
}

/** All applications that have something to copy, or those that are asked for. */
async function chooseApplications(
  dataDir: string,
  administration: Administration,
  ids: readonly string[] | undefined,
): Promise<readonly string[]> {
  const registry = new Registry(dataDir)
  const isThere = (id: string) => existsSync(treeFile(dataDir, id)) || registry.has(id)
  const { defaultId } = await administration.state()
  const chosen = [...new Set(ids ?? [defaultId, ...registry.ids()].filter(isThere))]
  const missing = chosen.find((id) => !isApplicationId(id) || !isThere(id))
  if (missing !== undefined) throw new Error(`there is no application ${JSON.stringify(missing)} in ${dataDir}`)
  if (chosen.length === 0) throw new Error(`there is no application in ${dataDir}: nothing to back up`)
  return chosen
}

interface Place {
  readonly dataDir: string
  readonly folder: string
  readonly withSecrets: boolean
}

async function backUp(
  id: string,
  { dataDir, folder, withSecrets }: Place,
  administration: Administration,
  watcher: BackupWatcher,
): Promise<BackedUpApplication> {
  const registration = join(dataDir, 'apps', `${id}.json`)
  const copyOfIt = join(folder, `${id}.json`)
  const isRegistered = new Registry(dataDir).settings(id) !== undefined
  if (isRegistered) writePrivately(copyOfIt, readFileSync(registration, 'utf8'))
  if (withSecrets) {
    for (const fileOf of [secretFile, smsKeyFile]) {
      const kept = fileOf(dataDir, id)
      if (existsSync(kept)) writeSecret(fileOf(folder, id), readSecret(kept))
    }
  }
  const settings = isRegistered ? { settings: digest(copyOfIt) } : {}
  const file = treeFile(dataDir, id)
  if (!existsSync(file)) return { id, ...settings }
  const copy = join(folder, `${id}.sqlite`)
  const tree = await copyTree(id, file, copy, watcher)
  // Whatever was committed when it was copied must outlive the power too, or nobody may have seen it.
  syncLog(file)
  await administration.settle(id)
  watcher.onCopied(id, tree)
  return { id, tree, ...settings }
}

async function copyTree(
  id: string,
  file: string,
  copy: string,
  watcher: BackupWatcher,
): Promise<NonNullable<BackedUpApplication['tree']>> {
  const total = sizeOf(file)
  const tooLong = Promise.withResolvers<never>()
  const look = setInterval(() => {
    watcher.onCopying(sizeOf(copy), total)
    if (sizeOf(`${file}-wal`) <= Math.max(MOST_LOG_BYTES, total)) return
    tooLong.reject(new Error(`more was written to "${id}" while it was copied than its log may hold: try again later`))
  }, LOOK_MS)
  try {
    const copying = copyAndExamine(file, copy)
    const { epoch, problems, bytes, sha256, seq, rows } = await Promise.race([copying, tooLong.promise])
    if (epoch === undefined) throw new Error(`the tree of "${id}" is damaged: ${tellProblems(problems)}`)
    return { bytes, sha256, epoch, seq, rows: rows.map(([table, count]) => [table, count]) }
  } finally {
    clearInterval(look)
  }
}

/** The log of another process: this one has no other descriptor of it, which closing would take the locks of. */
function syncLog(file: string): void {
  const log = `${file}-wal`
  if (!existsSync(log)) return
  const descriptor = openSync(log, 'r')
  try {
    fdatasyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** A folder that goes, with all that is in it, unless it is finished. */
class UnfinishedFolder implements Disposable {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    process.once('exit', this.#remove)
  }

  keep(): void {
    process.off('exit', this.#remove)
  }

  [Symbol.dispose](): void {
    this.#remove()
    process.off('exit', this.#remove)
  }

  /** What is finished has another name. */
  readonly #remove = (): void => rmSync(this.#folder, { recursive: true, force: true })
}
