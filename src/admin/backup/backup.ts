import { existsSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import program from '../../../package.json' with { type: 'json' }
import { isApplicationId } from '../../applications/application-id.ts'
import { lockFolder } from '../../data-folder/restore-lock.ts'
import { readSecret, secretFile, smsKeyFile, writeSecret } from '../../data-folder/secret-file.ts'
import { treeFile } from '../../data-folder/tree-file.ts'
import { sizeOf } from '../../files/file-size.ts'
import { makeFolder } from '../../files/folders.ts'
import { writePrivately } from '../../files/private-file.ts'
import { syncPath } from '../../files/sync-path.ts'
import { Unfinished } from '../../files/unfinished.ts'
import { copyAndExamine } from '../../store/sqlite/check/check-client.ts'
import { digest } from '../../store/sqlite/check/examine.ts'
import { formatProblems } from '../../store/sqlite/check/problem.ts'
import type { AdminClient } from '../admin-client.ts'
import { Registry } from '../registry.ts'
import { type BackedUpApplication, type Manifest, manifestFile, manifestFormat } from './manifest.ts'

/** Maximum log of a tree during its copy, unless the tree is larger. */
const MAX_LOG_BYTES = 1024 ** 3
const POLL_MS = 100

export interface BackupOptions {
  readonly dataDir: string
  /** The new folder. */
  readonly target: string
  /** Applications to copy; `undefined` for all. */
  readonly ids: readonly string[] | undefined
  readonly withSecrets: boolean
}

/** Receives the progress of a backup. */
export interface BackupWatcher {
  /** @param bytes copied bytes of the tree @param total approximate size of the tree @param id its application */
  onCopying(bytes: number, total: number, id: string): void
  /** A tree is copied and its copy is intact. */
  onCopied(id: string, tree: NonNullable<BackedUpApplication['tree']>): void
}

/**
 * Copies the trees of a folder into a new folder, each as of one commit, while a server goes on to use them. This
 * process reads the trees; the server only confirms that the copied commits are durable. The new folder appears when
 * every copy is complete, examined and durable.
 * @throws Error when the target exists, an application does not exist, a tree is damaged, or the disk is full
 * @see docs/how-to/back-up-and-restore.md#backing-up
 */
export async function makeBackup(
  { dataDir, target, ids, withSecrets }: BackupOptions,
  admin: AdminClient,
  watcher: BackupWatcher,
): Promise<Manifest> {
  if (existsSync(target)) throw new Error(`${target} is there already: a backup is a new folder`)
  if (!existsSync(dataDir)) throw new Error(`there is no ${dataDir}`)
  using _ = lockFolder(dataDir, 'shared')
  const madeAt = new Date().toISOString()
  const chosen = await chooseApplications(dataDir, admin, ids)
  const whole = resolve(target)
  const folder = `${whole}.unfinished-${crypto.randomUUID().slice(0, 8)}`
  using unfinished = new Unfinished()
  unfinished.add(folder)
  makeFolder(folder)
  const applications: BackedUpApplication[] = []
  for (const id of chosen) {
    applications.push(await backUp(id, { dataDir, folder, withSecrets }, admin, watcher))
  }
  const manifest = { format: manifestFormat, dhole: program.version, madeAt, withSecrets, applications } as const
  writePrivately(manifestFile(folder), `${JSON.stringify(manifest, undefined, 2)}\n`)
  renameSync(folder, whole)
  syncPath(dirname(whole))
  return manifest
}

/** The requested applications, or all that have files. @throws Error when one does not exist */
export async function chooseApplications(
  dataDir: string,
  admin: AdminClient,
  ids: readonly string[] | undefined,
): Promise<readonly string[]> {
  const registry = new Registry(dataDir)
  const exists = (id: string) => existsSync(treeFile(dataDir, id)) || registry.has(id)
  const { defaultId } = await admin.call('state', {})
  const chosen = [...new Set(ids ?? [defaultId, ...registry.ids()].filter(exists))]
  const missing = chosen.find((id) => !isApplicationId(id) || !exists(id))
  if (missing !== undefined) throw new Error(`there is no application ${JSON.stringify(missing)} in ${dataDir}`)
  if (chosen.length === 0) throw new Error(`there is no application in ${dataDir}: nothing to back up`)
  return chosen
}

interface BackupPlan {
  readonly dataDir: string
  readonly folder: string
  readonly withSecrets: boolean
}

async function backUp(
  id: string,
  { dataDir, folder, withSecrets }: BackupPlan,
  admin: AdminClient,
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
  // The copy may hold commits that no client has seen acknowledged yet: they must be durable in the tree as well.
  syncLog(file)
  await admin.call('settle', { id })
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
  const timer = setInterval(() => {
    watcher.onCopying(sizeOf(copy), total, id)
    if (sizeOf(`${file}-wal`) <= Math.max(MAX_LOG_BYTES, total)) return
    tooLong.reject(new Error(`more was written to "${id}" while it was copied than its log may hold: try again later`))
  }, POLL_MS)
  try {
    const copying = copyAndExamine(file, copy)
    const { epoch, problems, bytes, sha256, seq, rows } = await Promise.race([copying, tooLong.promise])
    if (epoch === undefined) throw new Error(`the tree of "${id}" is damaged: ${formatProblems(problems)}`)
    return { bytes, sha256, epoch, seq, rows: rows.map(([table, count]) => [table, count]) }
  } finally {
    clearInterval(timer)
  }
}

/** Syncs the log of a tree. This process has no other descriptor of the log, so closing this one drops no locks. */
function syncLog(file: string): void {
  const log = `${file}-wal`
  if (existsSync(log)) syncPath(log)
}
