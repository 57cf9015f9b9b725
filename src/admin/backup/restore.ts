import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isApplicationId } from '../../applications/application-id.ts'
import { giveAllToOwner, giveToOwner } from '../../data-folder/ownership.ts'
import { lockFolder } from '../../data-folder/restore-lock.ts'
import { readSecret, secretFile, smsKeyFile, writeSecret } from '../../data-folder/secret-file.ts'
import { treeFile } from '../../data-folder/tree-file.ts'
import { sizeOf } from '../../files/file-size.ts'
import { makeFolder } from '../../files/folders.ts'
import { Unfinished } from '../../files/unfinished.ts'
import { type ApplicationSettings, checkApplicationSettings } from '../../options.ts'
import { copyAndExamine } from '../../store/sqlite/check/check-client.ts'
import { digest } from '../../store/sqlite/check/examine.ts'
import { formatProblems } from '../../store/sqlite/check/problem.ts'
import { intentFile } from '../../store/sqlite/file/replace.ts'
import type { AdminClient } from '../admin-client.ts'
import type { AddedApplication, Rotation } from '../administration.ts'
import { keptFile, stagedFile } from '../file-administration.ts'
import { Registry } from '../registry.ts'
import { type BackedUpApplication, readManifest } from './manifest.ts'

const POLL_MS = 100

export interface RestoreOptions {
  readonly dataDir: string
  /** A backup, or the file of one tree. */
  readonly source: string
  /** Applications to restore; `undefined` for all of the backup. */
  readonly ids: readonly string[] | undefined
  /** Identifies this restore in the names of files. */
  readonly stamp: string
  /** Keeps the replaced trees beside the new ones. */
  readonly keep: boolean
}

/** Receives the progress of a restore. */
export interface RestoreWatcher {
  /** @param bytes copied bytes of this tree @param total approximate size of this tree */
  onCopying(bytes: number, total: number): void
  /** @param kept file of the replaced tree; `undefined` when it is not kept */
  onRestored(id: string, kept: string | undefined): void
  /** The application was not registered before. @param fresh its new keys, unless the backup has keys */
  onRegistered(id: string, fresh: AddedApplication | undefined): void
}

/** Planned changes of a restore to one application. */
export interface PlannedRestore {
  readonly id: string
  /** Size of the tree in the backup; `null` without one. */
  readonly bytes: number | null
  /** Size of the replaced tree; `null` without one. */
  readonly replacedBytes: number | null
  /** Whether the restore registers the application. */
  readonly registers: boolean
}

/** Sources of one application, collected before the first change. */
interface Plan {
  readonly id: string
  /** File of the tree; absent when the backup has none. */
  readonly tree?: string
  /** Checksum of that file in the manifest. */
  readonly sha256?: string
  /** Settings to register; absent for registered applications and the default one. */
  readonly settings?: ApplicationSettings
  /** Folder with keys in the layout of a data folder; absent when the backup has no keys. */
  readonly keys?: string
}

/**
 * Replaces trees of a folder by those of a backup, with a new epoch, so that streams start over. All trees are copied
 * into the folder and examined there before the first one is replaced.
 * @throws Error when the backup is damaged: nothing is changed then
 * @see docs/how-to/back-up-and-restore.md#restoring
 */
export async function restore(options: RestoreOptions, admin: AdminClient, watcher: RestoreWatcher): Promise<void> {
  const { dataDir } = options
  const { defaultId } = await admin.call('state', {})
  const plans = planOf(options, defaultId)
  makeFolder(join(dataDir, 'apps'))
  using _ = lockFolder(dataDir, 'alone')
  try {
    using unfinished = new Unfinished()
    for (const plan of plans) await stage(plan, options, unfinished, watcher)
    for (const plan of plans) await restoreOne(plan, options, unfinished, admin, watcher)
  } finally {
    giveAllToOwner(dataDir)
  }
}

/**
 * Lists the changes that `restore` would make. Changes nothing.
 * @param checksums reads the files of the backup completely and compares them with its manifest
 * @throws Error when the source or an application is missing, or a file differs from its checksum
 */
export async function planRestore(
  options: RestoreOptions,
  admin: AdminClient,
  checksums: boolean,
): Promise<readonly PlannedRestore[]> {
  const { defaultId } = await admin.call('state', {})
  return planOf(options, defaultId).map(({ id, tree, sha256, settings }) => {
    const found = tree === undefined ? undefined : statSync(tree, { throwIfNoEntry: false })
    if (tree !== undefined && found === undefined) throw new Error(`there is no ${tree}`)
    if (checksums && tree !== undefined && sha256 !== undefined && digest(tree).sha256 !== sha256)
      throw wrongChecksum(tree)
    const replaced = statSync(treeFile(options.dataDir, id), { throwIfNoEntry: false })
    return {
      id,
      bytes: found?.size ?? null,
      replacedBytes: replaced?.size ?? null,
      registers: settings !== undefined,
    }
  })
}

/** Replaces one application whose copy is ready. */
async function restoreOne(
  { id, tree, settings, keys }: Plan,
  options: RestoreOptions,
  unfinished: Unfinished,
  admin: AdminClient,
  watcher: RestoreWatcher,
): Promise<void> {
  const { dataDir, stamp } = options
  if (tree !== undefined) await replaceTree(id, options, unfinished, admin)
  const kept = keptFile(dataDir, id, stamp)
  if (settings !== undefined) watcher.onRegistered(id, await register(id, settings, keys, admin))
  else if (keys !== undefined) addMissingKeys(dataDir, id, keys)
  watcher.onRestored(id, existsSync(kept) ? kept : undefined)
}

function planOf({ dataDir, source, ids }: RestoreOptions, defaultId: string): readonly Plan[] {
  const found = statSync(source, { throwIfNoEntry: false })
  if (found === undefined) throw new Error(`there is no ${source}`)
  const registry = new Registry(dataDir)
  const isKnown = (id: string) => id === defaultId || registry.has(id)
  if (found.isDirectory()) return plansOf(source, ids, isKnown)
  const [id, ...others] = ids ?? []
  if (id === undefined || others.length > 0) throw new Error(`${source} is a file: name its application with --app`)
  checkId(id)
  if (!isKnown(id)) throw unknownApplication(id)
  return [{ id, tree: source }]
}

function plansOf(
  backup: string,
  ids: readonly string[] | undefined,
  isKnown: (id: string) => boolean,
): readonly Plan[] {
  const { applications, withSecrets } = readManifest(backup)
  const chosen = [...new Set(ids ?? applications.map(({ id }) => id))].map((id) => {
    const application = applications.find((each) => each.id === id)
    if (application === undefined) throw new Error(`the backup has no application ${JSON.stringify(id)}`)
    return application
  })
  return chosen.map((application): Plan => {
    const { id, tree } = application
    const settings = isKnown(id) ? undefined : settingsOf(backup, application)
    return {
      id,
      ...(tree === undefined ? {} : { tree: join(backup, `${id}.sqlite`), sha256: tree.sha256 }),
      ...(settings === undefined ? {} : { settings }),
      ...(withSecrets ? { keys: backup } : {}),
    }
  })
}

function settingsOf(backup: string, { id, settings }: BackedUpApplication): ApplicationSettings {
  if (settings === undefined) throw unknownApplication(id)
  const file = join(backup, `${id}.json`)
  if (digest(file).sha256 !== settings.sha256) throw wrongChecksum(file)
  const read: unknown = JSON.parse(readFileSync(file, 'utf8'))
  checkApplicationSettings(read)
  return read
}

async function register(
  id: string,
  settings: ApplicationSettings,
  keys: string | undefined,
  admin: AdminClient,
): Promise<AddedApplication | undefined> {
  const added = await admin.call('add', { id, settings })
  if (keys === undefined || !existsSync(secretFile(keys, id))) return added
  const rotate = (key: Rotation['key'], file: string) =>
    admin.call('rotate', { id, rotation: { key, value: readSecret(file) } })
  await rotate('secret', secretFile(keys, id))
  if (existsSync(smsKeyFile(keys, id))) await rotate('sms', smsKeyFile(keys, id))
  return undefined
}

/** Copies the keys that the folder lacks. Keys in use stay. */
function addMissingKeys(dataDir: string, id: string, keys: string): void {
  for (const fileOf of [secretFile, smsKeyFile]) {
    const [from, to] = [fileOf(keys, id), fileOf(dataDir, id)]
    if (existsSync(from) && !existsSync(to)) writeSecret(to, readSecret(from))
  }
}

/** Copies a tree beside the one it replaces, and examines the copy. @throws Error when the copy is damaged */
async function stage(
  { id, tree, sha256 }: Plan,
  { dataDir, stamp }: RestoreOptions,
  unfinished: Unfinished,
  watcher: RestoreWatcher,
): Promise<void> {
  if (tree === undefined) return
  const staged = stagedFile(dataDir, id, stamp)
  if (existsSync(staged)) throw new Error(`${staged} is there already`)
  unfinished.add(staged)
  unfinished.add(`${staged}-journal`)
  const total = sizeOf(tree)
  const timer = setInterval(() => watcher.onCopying(sizeOf(staged), total), POLL_MS)
  try {
    const { epoch, problems } = await copyAndExamine(tree, staged, sha256)
    if (epoch === undefined) throw new Error(`${tree} cannot be restored: ${formatProblems(problems)}`)
    giveToOwner(staged)
  } finally {
    clearInterval(timer)
  }
}

/** Replaces the tree of an application by its copy. */
async function replaceTree(
  id: string,
  { dataDir, stamp, keep }: RestoreOptions,
  unfinished: Unfinished,
  admin: AdminClient,
): Promise<void> {
  const staged = stagedFile(dataDir, id, stamp)
  // From here on the copy may be the only file of the tree.
  unfinished.keep(staged)
  try {
    await admin.call('replace-tree', { id, stamp, keep })
  } catch (error) {
    if (!existsSync(intentFile(treeFile(dataDir, id)))) unfinished.add(staged)
    throw error
  }
}

function checkId(id: string): void {
  if (!isApplicationId(id)) throw new Error(`--app: ${JSON.stringify(id)} is no name of an application`)
}

function unknownApplication(id: string): Error {
  return new Error(
    `"${id}" is not registered here, and the backup does not say how it was: first \`dhole apps add ${id}\``,
  )
}

function wrongChecksum(file: string): Error {
  return new Error(`${file} differs from the backed up file: its checksum is wrong`)
}
