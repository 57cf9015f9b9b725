import { join } from 'node:path'
import type { Elysia } from 'elysia'
import { DataRoutes } from './http/data-routes.ts'
import { treePlugin } from './http/plugin.ts'
import { trustProxies } from './http/transport.ts'
import { defaultStreams } from './hub/hub.ts'
import { type Observer, silentObserver } from './observer.ts'
import {
  type ApplicationOptions,
  checkDatabaseOptions,
  checkDholeOptions,
  type DatabaseOptions,
  type DholeOptions,
  type LimitOptions,
} from './options.ts'
import { keepSecret } from './secret.ts'
import { type Application, Applications } from './service/applications.ts'
import { Database } from './service/database.ts'
import { SqliteStore } from './store/sqlite/sqlite-store.ts'
import { defaultLimits, type Limits } from './tree/limits.ts'

const DEFAULT_DATA_DIR = './data'
const DEFAULT_APPLICATIONS: Readonly<Record<string, ApplicationOptions>> = { app: {} }

/**
 * The tree service as an Elysia plugin. The host must serve HTTPS, or stand behind a proxy named in `trustProxy`:
 * plain HTTP never reaches data. When a listening host stops, the files are closed; the framework does not wait for
 * that, so another process may find them in use for a moment longer.
 * @throws TypeError for wrong options, Error when a file is in use or damaged
 * @example new Elysia().use(dhole({ prefix: '/tree', applications: { app: { open: true } } }))
 */
export function dhole(options: DholeOptions = {}): Elysia {
  checkDholeOptions(options)
  return mount(openApplications(options), options)
}

/**
 * One application's tree without HTTP.
 * @throws TypeError for wrong options, Error when the file is in use or damaged
 */
export function openDatabase(options: DatabaseOptions): Database {
  checkDatabaseOptions(options)
  const observer: Observer = options.observer ?? silentObserver
  const store = new SqliteStore(options.file, options.storage ?? {}, observer)
  const limits = limitsOf(options.limits)
  const database = new Database(store, {
    limits,
    profile: options.profile ?? 'wilddog',
    indexPolicy: options.indexPolicy ?? 'allow',
    streams: { ...defaultStreams, maxEvent: limits.maxReadBytes, ...options.streams },
  })
  // What cannot be built now is built, or done without, when a query comes.
  if (options.indexes !== undefined) {
    database.declareIndexes(options.indexes).catch((error) => observer.storeTroubled(options.file, error))
  }
  return database
}

/** The plugin over applications that are open already; `server` mounts the same ones on two listeners. */
export function mount(applications: Applications, options: DholeOptions): Elysia {
  const observer: Observer = options.observer ?? silentObserver
  const prefix = options.prefix ?? ''
  const transport = trustProxies(options.trustProxy ?? [])
  const routes = new DataRoutes({
    applications,
    limits: limitsOf(options.limits),
    transport,
    prefix,
    streamHost: options.streamHost,
    onUnforeseen: ({ method, url }, error) => observer.requestFailed(method, pathOf(url), error),
  })
  return treePlugin({ routes, prefix, docs: options.docs ?? false, transport, onStop: () => applications.close() })
}

/** Opens every application of the options, each on its own file. */
export function openApplications(options: DholeOptions): Applications {
  const dataDir = options.dataDir ?? DEFAULT_DATA_DIR
  const opened = Object.entries(options.applications ?? DEFAULT_APPLICATIONS).map(
    ([id, { secret, open, ...tree }]): Application => ({
      id,
      secret: secret ?? keepSecret(secretFile(dataDir, id)).secret,
      open: open ?? false,
      database: openDatabase({
        file: join(dataDir, 'apps', `${id}.sqlite`),
        limits: options.limits ?? {},
        storage: options.storage ?? {},
        streams: options.streams ?? {},
        observer: options.observer ?? silentObserver,
        ...tree,
      }),
    }),
  )
  return new Applications(opened, options.baseDomain)
}

/** Where the generated secret of an application is kept. */
export function secretFile(dataDir: string, id: string): string {
  return join(dataDir, 'secrets', `${id}.secret`)
}

/** Without the query string: credentials stand there. */
function pathOf(url: string): string {
  const target = url.replace(/^[a-z]+:\/\/[^/]*/, '')
  return target.replace(/[?#].*$/s, '')
}

function limitsOf(options: LimitOptions = {}): Limits {
  return { ...defaultLimits, ...options }
}
