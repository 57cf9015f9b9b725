import { join } from 'node:path'
import { type Administration, type DefaultApplication, fixedKeys, SETTING } from '../admin/administration.ts'
import { DatabaseBackups, FileBackups } from '../admin/backup/backups.ts'
import { DatabaseAdministration } from '../admin/database-administration.ts'
import { DatabaseRegistry } from '../admin/database-registry.ts'
import { FileAdministration } from '../admin/file-administration.ts'
import { Registry } from '../admin/registry.ts'
import type { Applications } from '../applications/applications.ts'
import type { OnDemand } from '../dhole.ts'
import { type FixedKeys, WrongKey } from '../engines/application-keys.ts'
import type { Engine } from '../engines/engine.ts'
import { PostgresEngine } from '../engines/postgres-engine.ts'
import { SqliteEngine } from '../engines/sqlite-engine.ts'
import { isOwnMachine } from './config/config.ts'
import { databaseServer } from './config/database-server.ts'
import type { Config } from './config/settings.ts'
import { keysOf, showKey, showKeys } from './keys.ts'
import type { Logger } from './logging/log.ts'

/** Where a server finds its applications and their keys. */
export interface ServerStorage {
  readonly engine: Engine
  readonly onDemand: OnDemand
  /** Keys of the default application that are known before it is opened. */
  readonly keys: FixedKeys
  readonly backups: FileBackups | DatabaseBackups
  /** @param applications those that are open */
  administration(applications: Applications): Administration
}

/** The storage that the settings choose. Keys that are made are printed once. */
export function storageOf(config: Config, logger: Logger): ServerStorage {
  const server = databaseServer(config)
  return server === undefined ? inFiles(config, logger) : inDatabase(config, server, logger)
}

/** Names the setting of an error that opening the storage has thrown. */
export function namingSetting(error: unknown): unknown {
  return error instanceof WrongKey ? new Error(`${SETTING[error.key]}: ${error.message}`, { cause: error }) : error
}

function inFiles(config: Config, logger: Logger): ServerStorage {
  const { DATA_DIR } = config
  const keys = keysOf(config)
  // Before the rest of the start: if that fails, the next start does not show the keys again.
  showKeys(config, keys, logger)
  // Files are read when a request names their application.
  const registry = new Registry(DATA_DIR)
  return {
    engine: new SqliteEngine(DATA_DIR),
    onDemand: { ...timesOf(config), find: (id) => registry.find(id) },
    keys: { secret: keys.secret.secret, smsKey: keys.smsKey.secret },
    backups: new FileBackups(DATA_DIR, config.BACKUP_DIR ?? join(DATA_DIR, 'backups')),
    administration: (applications) => new FileAdministration(DATA_DIR, defaultApplication(config), applications),
  }
}

function inDatabase(
  config: Config,
  server: NonNullable<ReturnType<typeof databaseServer>>,
  logger: Logger,
): ServerStorage {
  const engine = new PostgresEngine(server, (id, made, keys) => {
    if (id !== config.APP_ID) return
    for (const name of made) {
      showKey(config, name, name === 'secret' ? keys.secret : keys.smsKey, 'the database', logger)
    }
  })
  const catalog = () => engine.catalog()
  const registry = new DatabaseRegistry(catalog)
  return {
    engine,
    onDemand: { ...timesOf(config), find: (id) => registry.find(id) },
    keys: { secret: config.APP_SECRET, smsKey: config.SMS_KEY },
    backups: new DatabaseBackups(),
    administration: (applications) =>
      new DatabaseAdministration({ catalog, registry, default: defaultApplication(config), applications }),
  }
}

function timesOf({ APP_IDLE_MS, MAX_OPEN_APPS }: Config): Pick<OnDemand, 'idleMs' | 'maxOpen'> {
  return { idleMs: APP_IDLE_MS, maxOpen: MAX_OPEN_APPS }
}

function defaultApplication({ APP_ID, APP_SECRET, SMS_KEY, HOST }: Config): DefaultApplication {
  return { id: APP_ID, fixedKeys: fixedKeys({ APP_SECRET, SMS_KEY }), isOpen: isOwnMachine(HOST) }
}
