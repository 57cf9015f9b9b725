import { Database } from './database/database.ts'
import type { DatabaseSettings } from './database/database-settings.ts'
import type { ApplicationStorage } from './engines/engine.ts'
import { PostgresEngine } from './engines/postgres-engine.ts'
import { openSqlite } from './engines/sqlite-engine.ts'
import { defaultStreams } from './hub/hub.ts'
import { type Observer, silentObserver } from './observer.ts'
import type { DatabaseOptions, LimitOptions, ServerDatabaseOptions } from './options.ts'
import { defaultLimits, type Limits } from './tree/limits.ts'

export const OPEN_RULES = '{"rules":{".read":true,".write":true}}'
export const LOCKED_RULES = '{"rules":{".read":false,".write":false}}'

const DEFAULT_APPLICATION = 'app'

/** Rules of a tree. */
export interface InitialRules {
  /** Source of the rules until others are stored. */
  readonly rules: string
  /** Whether they are stored when the tree has no rules. */
  readonly keepRules: boolean
  /** Rules that are stored in the tree, if they are parsed already. */
  readonly storedRules?: DatabaseSettings['storedRules']
}

/** Options of a tree, whatever stores it. */
type TreeSettings = Omit<DatabaseOptions, 'file' | 'rules' | 'storage'>

/**
 * The tree of one file without HTTP, with internal operations. The caller checks the options.
 * @throws Error when the file is in use or damaged
 */
export function openTree(options: DatabaseOptions): Database {
  const storage = openSqlite(options.file, options.storage ?? {}, options.observer ?? silentObserver)
  return treeOn(storage, options.file, options, rulesOf(options))
}

/** A tree on a database server. */
export interface ServerTree {
  readonly database: Database
  /** Ends the connections, once the tree is closed. */
  disconnect(): Promise<void>
}

/**
 * The tree of one application on a database server, without HTTP. The caller checks the options.
 * @throws TypeError for a wrong address, Error when the database cannot be used
 */
export async function openServerTree(options: ServerDatabaseOptions): Promise<ServerTree> {
  const { application = DEFAULT_APPLICATION, storage = {}, observer = silentObserver } = options
  const engine = new PostgresEngine(options)
  try {
    const opened = await engine.open(application, storage, observer, true)
    const database = treeOn(opened, engine.placeOf(application), options, rulesOf(options))
    engine.shared.onSilent(() => database.endStreams())
    return { database, disconnect: () => engine.close() }
  } catch (error) {
    await engine.close()
    throw error
  }
}

/**
 * The tree of one application on its storage, which it closes.
 * @param place where it is stored, for reports to the operator
 */
export function treeOn(
  storage: Omit<ApplicationStorage, 'keys'>,
  place: string,
  options: TreeSettings,
  initial: InitialRules,
): Database {
  const observer: Observer = options.observer ?? silentObserver
  const onTroubled = (error: unknown) => observer.storeTroubled(place, error)
  const limits = limitsOf(options.limits)
  const settings: DatabaseSettings = {
    limits,
    profile: options.profile ?? 'wilddog',
    indexPolicy: options.indexPolicy ?? 'allow',
    streams: { ...defaultStreams, maxEvent: limits.maxReadBytes, ...options.streams },
    ...initial,
    onTroubled,
    onStreams: {
      onOpened: observer.streamOpened?.bind(observer),
      onClosed: observer.streamClosed?.bind(observer),
      onLost: observer.streamResynced?.bind(observer),
    },
    onSessions: {
      onLeftValue: observer.leftValueEnded?.bind(observer),
      onTaken: observer.sessionTaken?.bind(observer),
    },
  }
  const database = databaseOn(storage, settings)
  storage.onReplaced(() => database.endStreams())
  // A query builds an index that cannot be built now, or runs without it.
  if (options.indexes !== undefined) database.declareIndexes(options.indexes).catch(onTroubled)
  return database
}

/** Closes the storage when its tree cannot be served, so that the operator can repair it. */
function databaseOn({ tree }: Pick<ApplicationStorage, 'tree'>, settings: DatabaseSettings): Database {
  try {
    return new Database(tree, settings)
  } catch (error) {
    tree.close().catch(() => {})
    throw error
  }
}

function rulesOf({ rules }: Pick<DatabaseOptions, 'rules'>): InitialRules {
  return { rules: rules ?? OPEN_RULES, keepRules: rules !== undefined }
}

function limitsOf(options: LimitOptions = {}): Limits {
  return { ...defaultLimits, ...options }
}
