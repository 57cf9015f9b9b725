import { existsSync } from 'node:fs'
import { isApplicationId } from '../../applications/application-id.ts'
import { makeDataFolder } from '../../data-folder/create.ts'
import { giveAllToOwner } from '../../data-folder/ownership.ts'
import { lockFolder } from '../../data-folder/restore-lock.ts'
import { treeFile } from '../../data-folder/tree-file.ts'
import { messageOf } from '../../files/system-error.ts'
import type { DatabaseServer } from '../../options.ts'
import { CopyDatabase } from '../../store/postgres/copy/copy-database.ts'
import { DatabaseSource } from '../../store/postgres/copy/database-source.ts'
import { DatabaseTarget } from '../../store/postgres/copy/database-target.ts'
import type { CopySource, CopyTarget, MovedMark, TargetState } from '../../store/rows/copy/copy-ends.ts'
import { FileSource } from '../../store/sqlite/copy/file-source.ts'
import { FileTarget } from '../../store/sqlite/copy/file-target.ts'
import { COPIED_TABLES, type CopiedTree, type CopyStep, copyTree } from './copy-tree.ts'
import { type Decision, decide } from './decision.ts'
import { copyKeysIn, copyKeysOut } from './keys.ts'
import { applicationsAt, type Found, findAll, nameOf, type Place } from './place.ts'

/** Tables of a tree in a database that are not copied. */
const OTHER_TABLES = ['detached', 'index_entry', 'sms_lease']
const TABLES = [...COPIED_TABLES.map(({ name }) => name), ...OTHER_TABLES]

export interface CopyOptions {
  readonly from: Place
  /** A place of the other kind. */
  readonly to: Place
  /** Applications to copy; `undefined` for all that were not moved elsewhere. */
  readonly ids: readonly string[] | undefined
  /** The source goes on to be used, and the copy begins a history of its own. */
  readonly keepSource: boolean
}

/** Receives the progress of copies. */
export interface CopyWatcher {
  onRows?(id: string, rows: number, total: number): void
  onCopied?(copied: CopiedApplication): void
  /** Called after each step of each application, and awaited. */
  onStep?(id: string, step: CopyStep): void | Promise<void>
}

/** What became of an application. */
export interface CopiedApplication extends Partial<CopiedTree> {
  readonly id: string
  /** `complete`: an interrupted copy was completed. `done`: it was complete. */
  readonly done: Decision
  readonly seconds: number
}

/** What is to be done about each application. Changes nothing. @throws Error when one of them cannot be copied */
export async function planCopy(options: CopyOptions): Promise<ReadonlyMap<string, Decision>> {
  const { from, to, ids, keepSource } = options
  if (from.kind === to.kind) throw new Error('one of --from and --to is a folder, the other one a database')
  if (from.kind === 'folder' && !existsSync(from.folder)) throw new Error(`there is no ${from.folder}`)
  const chosen = [...new Set(ids ?? (await applicationsAt(from)))]
  const wrong = chosen.find((id) => !isApplicationId(id))
  if (wrong !== undefined) throw new Error(`${JSON.stringify(wrong)} is no name of an application`)
  const [sources, targets] = [await findAll(from, chosen), await findAll(to, chosen)]
  const plan = new Map<string, Decision>()
  for (const id of chosen) {
    const source: Found = sources.get(id) ?? { kind: 'none' }
    const target: Found = targets.get(id) ?? { kind: 'none' }
    // Without names, what has gone elsewhere is none of those that are here.
    if (ids === undefined && source.kind === 'moved' && (keepSource || source.copy !== target.copy)) continue
    plan.set(
      id,
      within(id, () => decide({ from, to }, source, target, !keepSource)),
    )
  }
  if (plan.size === 0) throw new Error(`there is no application in ${nameOf(from)}: nothing to copy`)
  return plan
}

/**
 * Copies applications one after the other between a data folder and a database, each as of one commit.
 * @throws Error that names the application that could not be copied; those before it are copied
 * @see docs/how-to/copy-between-engines.md
 */
export async function copyApplications(
  options: CopyOptions,
  watcher: CopyWatcher,
): Promise<readonly CopiedApplication[]> {
  const plan = await planCopy(options)
  const { from, to } = options
  const folder = from.kind === 'folder' ? from.folder : to.kind === 'folder' ? to.folder : ''
  const server = serverOf(from) ?? serverOf(to)
  if (server === undefined) throw new Error('there is no database')
  makeDataFolder(folder)
  using _lock = lockFolder(folder, 'shared')
  const database = await CopyDatabase.open(server)
  const copied: CopiedApplication[] = []
  try {
    for (const id of plan.keys()) {
      const startedAt = performance.now()
      const result = await copyOne(id, folder, database, options, watcher).catch((cause) => {
        throw new Error(`application "${id}": ${messageOf(cause)}`, { cause })
      })
      const application = { id, ...result, seconds: (performance.now() - startedAt) / 1000 }
      copied.push(application)
      watcher.onCopied?.(application)
    }
  } finally {
    giveAllToOwner(folder)
    await database.close()
  }
  return copied
}

type Outcome = Partial<CopiedTree> & { readonly done: Decision }

async function copyOne(
  id: string,
  folder: string,
  database: CopyDatabase,
  options: CopyOptions,
  watcher: CopyWatcher,
): Promise<Outcome> {
  const { from, to } = options
  const file = treeFile(folder, id)
  const places = { folder, database, secretsKey: (serverOf(from) ?? serverOf(to))?.secretsKey }
  const run = (source: CopySource | MovedMark, target: CopyTarget, copyKeys: () => Promise<void>) =>
    runCopy(id, source, target, copyKeys, options, watcher)
  if (from.kind === 'folder') {
    if (!existsSync(file)) throw new Error(`it is not in ${nameOf(from)}`)
    using source = new FileSource(file)
    return await DatabaseTarget.use(database, id, TABLES, (target) =>
      run(source.moved ?? source, target, () => copyKeysIn(id, places)),
    )
  }
  return await DatabaseSource.use(database.durable, id, async (source) => {
    using target = new FileTarget(file)
    return await run(source, target, () => copyKeysOut(id, places))
  })
}

async function runCopy(
  id: string,
  source: CopySource | MovedMark,
  target: CopyTarget,
  copyKeys: () => Promise<void>,
  options: CopyOptions,
  watcher: CopyWatcher,
): Promise<Outcome> {
  const isMoved = 'to' in source
  const found: Found = isMoved ? foundOf({ kind: 'moved', ...source }) : { kind: 'there' }
  const done = decide(options, found, foundOf(target.state), !options.keepSource)
  if (done === 'complete') await target.activate()
  if (done !== 'copy' || isMoved) return { done }
  const copied = await copyTree(source, target, {
    copyKeys,
    movedTo: options.keepSource ? undefined : nameOf(options.to),
    onStep: (step) => watcher.onStep?.(id, step),
    ...(watcher.onRows === undefined ? {} : { onRows: (rows, total) => watcher.onRows?.(id, rows, total) }),
  })
  return { done, ...copied }
}

function serverOf(place: Place): DatabaseServer | undefined {
  return place.kind === 'database' ? place.server : undefined
}

function foundOf(state: TargetState): Found {
  if (state.kind === 'free') return { kind: 'none' }
  return state.kind === 'moved' ? { kind: 'moved', movedTo: state.to, copy: state.copy } : state
}

function within<T>(id: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw new Error(`application "${id}": ${messageOf(cause)}`, { cause })
  }
}
