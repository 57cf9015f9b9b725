import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isApplicationId } from '../../applications/application-id.ts'
import { giveAllToOwner, giveToOwner } from '../../data-folder/ownership.ts'
import { lockFolder } from '../../data-folder/restore-lock.ts'
import { readSecret, secretFile, smsKeyFile, writeSecret } from '../../data-folder/secret-file.ts'
import { treeFile } from '../../data-folder/tree-file.ts'
import { makeFolder } from '../../files/folders.ts'
import { type ApplicationSettings, checkApplicationSettings } from '../../options.ts'
import { copyAndExamine } from '../../store/sqlite/check/check-client.ts'
import { digest } from '../../store/sqlite/check/examine.ts'
import { tellProblems } from '../../store/sqlite/check/problem.ts'
import { intentFile } from '../../store/sqlite/file/replace.ts'
import { type AddedApplication, type Administration, keptFile, stagedFile } from '../administration.ts'
import { Registry } from '../registry.ts'
import { type BackedUpApplication, readManifest } from './manifest.ts'

const LOOK_MS = 100

export interface RestoreOptions {
  readonly dataDir: string
  /** A backup, or one file of a tree. */
  readonly source: string
  /** Applications; `undefined` for all of the backup. */
  readonly ids: readonly string[] | undefined
  /** Tells this restore from others in the names of files. */
  readonly stamp: string
  /** Whether the trees that are replaced stay beside the new ones. */
  readonly keep: boolean
}

/** Hears how far a restore is. */
export interface RestoreWatcher {
  /** @param bytes of this tree that lie ready, of about so many */
  onCopying(bytes: number, total: number): void
  /** @param kept where the tree is that was there before; `undefined` when none is left */
  onRestored(id: string, kept: string | undefined): void
  /** It was not registered in this folder, and now has keys. @param fresh new ones, unless the backup has them */
  onRegistered(id: string, fresh: AddedApplication | undefined): void
}

/** What a restore is going to do to one application. */
export interface PlannedRestore {
  readonly id: string
  /** Size of the file of its tree in the backup; `null` when that has none. */
  readonly bytes: number | null
  /** Size of the tree that it takes the place of; `null` when there is none. */
  readonly replacedBytes: number | null
  /** Whether it is not registered yet. */
  readonly registers: boolean
}

/** What is known of an application before anything is touched. */
interface Plan {
  readonly id: string
  /** Where its tree is; absent when it never had one. */
  readonly tree?: string
  /** What the manifest says of that file. */
  readonly sha256?: string
  /** To register it with; absent when it is registered, or the default one. */
  readonly settings?: ApplicationSettings
  /** Folder of keys, laid out as the data folder is; absent when the backup has none. */
  readonly keys?: string
}

/**
 * Puts trees of a backup in the place of those of a folder, with a new epoch, so that streams begin anew. All of them
 * are copied into the folder and examined there before the first one is replaced.
 * @throws Error when something is wrong with the backup: nothing is touched then
 * @see docs/how-to/back-up-and-restore.md#restoring
 */
export async function restore(
  options: RestoreOptions,
  administration: Administration,
  watcher: RestoreWatcher,
): Promise<void> {
  const { dataDir, stamp } = options
  const { defaultId } = await administration.state()
  const plans = planOf(options, defaultId)
  makeFolder(join(dataDir, 'apps'))
  using _ = lockFolder(dataDir, 'alone')
  try {
    using staging = new Staging(dataDir, stamp)
    for (const plan of plans) await staging.add(plan, watcher)
    for (const plan of plans) await bring(plan, staging, options, administration, watcher)
  } finally {
    giveAllToOwner(dataDir)
  }
}

/**
 * What `restore` is going to do. Changes nothing.
 * @param checksums whether the files of the backup are read as a whole and compared with its manifest
 * @throws Error when the source or an application of it is not there, or a file is not what was backed up
 */
export async function planRestore(
  options: RestoreOptions,
  administration: Administration,
  checksums: boolean,
): Promise<readonly PlannedRestore[]> {
  const { defaultId } = await administration.state()
  return planOf(options, defaultId).map(({ id, tree, sha256, settings }) => {
    const found = tree === undefined ? undefined : statSync(tree, { throwIfNoEntry: false })
    if (tree !== undefined && found === undefined) throw new Error(`there is no ${tree}`)
    if (checksums && tree !== undefined && sha256 !== undefined && digest(tree).sha256 !== sha256) throw changed(tree)
    const replaced = statSync(treeFile(options.dataDir, id), { throwIfNoEntry: false })
    return {
      id,
      bytes: found?.size ?? null,
      replacedBytes: replaced?.size ?? null,
      registers: settings !== undefined,
    }
  })
}

/** Puts one application in its place, all of it ready. */
async function bring(
  { id, tree, settings, keys }: Plan,
  staging: Staging,
  { dataDir, stamp, keep }: RestoreOptions,
  administration: Administration,
  watcher: RestoreWatcher,
): Promise<void> {
  if (tree !== undefined) await staging.put(id, administration, keep)
  const kept = keptFile(dataDir, id, stamp)
  if (settings !== undefined) watcher.onRegistered(id, await register(id, settings, keys, administration))
  else if (keys !== undefined) bringKeys(dataDir, id, keys)
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
  if (!isKnown(id)) throw unknown(id)
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
  if (settings === undefined) throw unknown(id)
  const file = join(backup, `${id}.json`)
  if (digest(file).sha256 !== settings.sha256) throw changed(file)
  const read: unknown = JSON.parse(readFileSync(file, 'utf8'))
  checkApplicationSettings(read)
  return read
}

async function register(
  id: string,
  settings: ApplicationSettings,
  keys: string | undefined,
  administration: Administration,
): Promise<AddedApplication | undefined> {
  const added = await administration.add(id, settings)
  if (keys === undefined || !existsSync(secretFile(keys, id))) return added
  await administration.rotate(id, { key: 'secret', value: readSecret(secretFile(keys, id)) })
  if (existsSync(smsKeyFile(keys, id))) {
    await administration.rotate(id, { key: 'sms', value: readSecret(smsKeyFile(keys, id)) })
  }
  return undefined
}

/** Those of an application whose folder has none; keys that are in force are not taken from anybody. */
function bringKeys(dataDir: string, id: string, keys: string): void {
  for (const fileOf of [secretFile, smsKeyFile]) {
    const [from, to] = [fileOf(keys, id), fileOf(dataDir, id)]
    if (existsSync(from) && !existsSync(to)) writeSecret(to, readSecret(from))
  }
}

/** Copies that lie ready beside the trees they are to replace. */
class Staging implements Disposable {
  readonly #dataDir: string
  readonly #stamp: string
  /** Files to be removed unless they take their place. */
  readonly #ready = new Set<string>()

  constructor(dataDir: string, stamp: string) {
    this.#dataDir = dataDir
    this.#stamp = stamp
    process.once('exit', this.#remove)
  }

  /** Copies a tree beside the one it is to replace, and examines the copy. @throws Error when something is wrong */
  async add({ id, tree, sha256 }: Plan, watcher: RestoreWatcher): Promise<void> {
    if (tree === undefined) return
    const staged = stagedFile(this.#dataDir, id, this.#stamp)
    if (existsSync(staged)) throw new Error(`${staged} is there already`)
    this.#ready.add(staged)
    const total = statSync(tree, { throwIfNoEntry: false })?.size ?? 0
    const look = setInterval(() => {
      watcher.onCopying(statSync(staged, { throwIfNoEntry: false })?.size ?? 0, total)
    }, LOOK_MS)
    try {
      const { epoch, problems } = await copyAndExamine(tree, staged, sha256)
      if (epoch === undefined) throw new Error(`${tree} cannot be restored: ${tellProblems(problems)}`)
      giveToOwner(staged)
    } finally {
      clearInterval(look)
    }
  }

  /** Puts one in its place. */
  async put(id: string, administration: Administration, keep: boolean): Promise<void> {
    const staged = stagedFile(this.#dataDir, id, this.#stamp)
    // From here on it may be all there is of the tree.
    this.#ready.delete(staged)
    try {
      await administration.replaceTree(id, this.#stamp, keep)
    } catch (error) {
      if (!existsSync(intentFile(treeFile(this.#dataDir, id)))) this.#ready.add(staged)
      throw error
    }
  }

  [Symbol.dispose](): void {
    this.#remove()
    process.off('exit', this.#remove)
  }

  readonly #remove = (): void => {
    for (const staged of this.#ready) for (const suffix of ['', '-journal']) rmSync(staged + suffix, { force: true })
  }
}

function checkId(id: string): void {
  if (!isApplicationId(id)) throw new Error(`--app: ${JSON.stringify(id)} is no name of an application`)
}

function unknown(id: string): Error {
  return new Error(
    `"${id}" is not registered here, and the backup does not say how it was: first \`dhole apps add ${id}\``,
  )
}

function changed(file: string): Error {
  return new Error(`${file} is not what was backed up: its checksum is another one`)
}
