import { resolve } from 'node:path'
import type { Elysia } from 'elysia'
import type { ApplicationParts } from './applications/application.ts'
import { Applications } from './applications/applications.ts'
import { Authenticator } from './auth/authenticator.ts'
import { FailedAttempts } from './auth/failed-attempts.ts'
import { keepSecret, readSecret, SAFE_SECRET_LENGTH, secretFile, smsKeyFile } from './data-folder/secret-file.ts'
import { treeFile } from './data-folder/tree-file.ts'
import { RULES } from './database/access/authorizer.ts'
import { readStoredInTurns } from './database/access/rule-cache.ts'
import { Database } from './database/database.ts'
import type { DatabaseSettings } from './database/database-settings.ts'
import { OwnMachine } from './http/connection/own-machine.ts'
import { Transport } from './http/connection/transport.ts'
import { ClientLimits, defaultClientLimits } from './http/limits/client-limits.ts'
import { Routes, treePlugin } from './http/plugin.ts'
import type { MetricsPage } from './http/system/metrics-page.ts'
import { defaultStreams } from './hub/hub.ts'
import { type Observer, type SecretName, silentObserver } from './observer.ts'
import {
  type ApplicationOptions,
  checkMessages,
  type DatabaseOptions,
  type DholeOptions,
  type LimitOptions,
  type MessagesOptions,
} from './options.ts'
import { defaultMessages, Messages, type MessagesParts } from './sms/messages.ts'
import { SqliteMessageStore } from './sms/sqlite/sqlite-message-store.ts'
import { openStore, type Store } from './store/open.ts'
import { defaultLimits, type Limits } from './tree/limits.ts'

const DEFAULT_DATA_DIR = './data'
const DEFAULT_APPLICATIONS: Readonly<Record<string, ApplicationOptions>> = { app: {} }
const DEFAULT_FAILED_CREDENTIALS = 30
const OPEN_RULES = '{"rules":{".read":true,".write":true}}'
const LOCKED_RULES = '{"rules":{".read":false,".write":false}}'

/** Rules of a tree. */
interface InitialRules {
  /** Source of the rules until others are stored. */
  readonly rules: string
  /** Whether they are stored when the tree has no rules. */
  readonly keepRules: boolean
  /** Rules that are stored in the tree, if they are parsed already. */
  readonly storedRules?: DatabaseSettings['storedRules']
}

/** Applications beside those of the options, opened on demand. */
export interface OnDemand {
  /**
   * Options of an application, with its secret; `undefined` when it does not exist.
   * @throws Error when its settings cannot be read
   */
  readonly find: (id: string) => (ApplicationOptions & { readonly secret: string }) | undefined
  /** Time after which an idle application is closed, in milliseconds. */
  readonly idleMs: number
  /** Maximum open applications. */
  readonly maxOpen: number
}

/**
 * The tree of one application without HTTP, with internal operations. The caller checks the options.
 * @throws Error when the file is in use or damaged
 */
export function openTree(options: DatabaseOptions): Database {
  return openInitialTree(options, { rules: options.rules ?? OPEN_RULES, keepRules: options.rules !== undefined })
}

/** Limits for clients. All listeners of a service share them. */
export function clientLimits({ clients }: Pick<DholeOptions, 'clients'>): ClientLimits {
  return new ClientLimits({ ...defaultClientLimits, ...clients })
}

/**
 * The plugin over open applications. `server` mounts the same applications on two listeners.
 * @param metrics served at `/metrics`
 */
export function mount(
  applications: Applications,
  options: DholeOptions,
  limits: ClientLimits = clientLimits(options),
  metrics?: MetricsPage,
): Elysia {
  const observer: Observer = options.observer ?? silentObserver
  const prefix = options.prefix ?? ''
  const machine = new OwnMachine({ names: options.ownNames, baseDomain: options.baseDomain })
  const transport = new Transport(options.trustProxy ?? [], machine, {
    plainFromHere: options.development,
    onUnnamed: (peer) => observer.proxyUnnamed?.(peer),
  })
  const docs = options.docs ?? false
  const routes = new Routes({
    applications,
    transport,
    limits,
    prefix,
    strictTransport: options.strictTransport,
    streamHost: options.streamHost,
    observer,
    metrics,
    docs,
  })
  return treePlugin({ routes, prefix, docs, onStop: () => applications.close() })
}

/**
 * Opens every application of the options, each on its own file. A single application serves requests without a name.
 * @throws Error when a file is in use or damaged
 */
export function openApplications(options: DholeOptions, onDemand?: OnDemand): Applications {
  const dataDir = options.dataDir ?? DEFAULT_DATA_DIR
  const observer: Observer = options.observer ?? silentObserver
  const perMinute = options.failedCredentials ?? DEFAULT_FAILED_CREDENTIALS
  const failedAttempts = new FailedAttempts(perMinute, {
    onFailed: () => observer.credentialFailed?.(),
    onExceeded: (network) => observer.credentialsExceeded?.(network, perMinute),
  })
  const kept = new Map(Object.entries(options.applications ?? DEFAULT_APPLICATIONS))
  const [single] = kept.keys()
  // Later the event loop must not wait for stored rules to be parsed.
  let isStarting = true
  const applications = new Applications({
    find: (id) => {
      const found = kept.get(id) ?? onDemand?.find(id)
      return found && (() => openApplication(id, found, { ...options, isStarting }, failedAttempts))
    },
    defaultId: kept.size === 1 ? single : undefined,
    baseDomain: options.baseDomain,
    idleMs: onDemand?.idleMs ?? Number.POSITIVE_INFINITY,
    maxOpen: onDemand?.maxOpen ?? 0,
    onError: (id, error) => observer.storeTroubled(treeFile(dataDir, id), error),
  })
  try {
    for (const id of kept.keys()) applications.keep(id)
    isStarting = false
  } catch (error) {
    // The first error is reported; errors of closing are not.
    applications.close().catch(() => {})
    throw error
  }
  return applications
}

function openApplication(
  id: string,
  { secret, smsKey, open, rules, limits, sms, ...tree }: ApplicationOptions,
  options: DholeOptions & { readonly isStarting: boolean },
  failedAttempts: FailedAttempts,
): ApplicationParts | Promise<ApplicationParts> {
  const dataDir = options.dataDir ?? DEFAULT_DATA_DIR
  const known = secret ?? keepSecret(secretFile(dataDir, id)).secret
  const authenticator = new Authenticator({
    application: id,
    secret: known,
    failedAttempts,
    development: options.development ?? false,
  })
  const observer = options.observer ?? silentObserver
  const checked = (name: SecretName, text: string) => {
    if (text.length < SAFE_SECRET_LENGTH) observer.secretShort?.(id, name, text.length)
    return text
  }
  checked('super secret', known)
  if (smsKey !== undefined) checked('SMS key', smsKey)
  const file = treeFile(dataDir, id)
  const store = openStore(resolve(file), options.storage ?? {}, observer)
  const messageParts: MessagesParts = {
    openStore: (format) => new SqliteMessageStore(store.sideTables, format),
    readKey: () => smsKey ?? checked('SMS key', keepSecret(smsKeyFile(dataDir, id)).secret),
    onError: (error) => observer.storeTroubled(file, error),
    onRecorded: (count) => observer.messagesRecorded?.(count),
    onReported: (accepted, ignored) => observer.messagesReported?.(accepted, ignored),
    onReturned: (count) => observer.statesReturned?.(count),
  }
  const treeOptions = {
    file,
    limits: { ...options.limits, ...limits },
    streams: options.streams ?? {},
    observer,
    ...tree,
  }
  const partsWith = (storedRules: DatabaseSettings['storedRules']): ApplicationParts => {
    const initial = { rules: rules ?? (open ? OPEN_RULES : LOCKED_RULES), keepRules: rules !== undefined, storedRules }
    const database = databaseWith(store, treeOptions, initial)
    const messages = new Messages(messageParts, { ...defaultMessages, ...options.sms, ...sms })
    messages.startPurging()
    store.onReplaced(() => messages.close())
    observer.applicationOpened?.(id)
    const onClose = () => {
      messages.close()
      observer.applicationClosed?.(id)
    }
    return { authenticator, database, messages, isLoopbackOnly: open === 'loopback', onClose }
  }
  const storedRules = options.isStarting ? undefined : readStoredInTurns(store.setting(RULES))
  return storedRules instanceof Promise ? storedRules.then(partsWith) : partsWith(storedRules)
}

/** Settings of an application that no server has open. */
export interface ClosedSettings {
  readonly sms?: MessagesOptions
  /** Read when the tree is first used. */
  readonly tree?: () => ApplicationOptions
}

/** An application that no server has open. Tree and messages share one file. */
export interface ClosedApplication {
  readonly database: Database
  readonly messages: Messages
  close(): Promise<void>
}

/** @throws Error when the file is in use or damaged, TypeError for wrong settings */
export function openClosedApplication(
  dataDir: string,
  id: string,
  { sms = {}, tree = () => ({}) }: ClosedSettings,
): ClosedApplication {
  checkMessages('', sms)
  const file = treeFile(dataDir, id)
  const store = openStore(resolve(file), {}, silentObserver)
  const readKey = () => readSecret(smsKeyFile(dataDir, id))
  const parts: MessagesParts = {
    openStore: (format) => new SqliteMessageStore(store.sideTables, format),
    readKey,
    onError: () => {},
  }
  let database: Database | undefined
  let messages: Messages | undefined
  return {
    get database() {
      database ??= closedTree(store, file, tree())
      return database
    },
    get messages() {
      messages ??= new Messages(parts, { ...defaultMessages, ...sms })
      return messages
    },
    close: async () => {
      messages?.close()
      await (database ?? store).close()
    },
  }
}

function closedTree(store: Store, file: string, { open, rules, limits }: ApplicationOptions): Database {
  const options = { file, ...(limits === undefined ? {} : { limits }) }
  return databaseWith(store, options, { rules: rules ?? (open ? OPEN_RULES : LOCKED_RULES), keepRules: false })
}

function openInitialTree(options: DatabaseOptions, initial: InitialRules): Database {
  const observer: Observer = options.observer ?? silentObserver
  return databaseWith(openStore(options.file, options.storage ?? {}, observer), options, initial)
}

function databaseWith(store: Store, options: DatabaseOptions, initial: InitialRules): Database {
  const observer: Observer = options.observer ?? silentObserver
  const onTroubled = (error: unknown) => observer.storeTroubled(options.file, error)
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
  }
  const database = databaseOn(store, settings)
  store.onReplaced(() => database.endStreams())
  // A query builds an index that cannot be built now, or runs without it.
  if (options.indexes !== undefined) database.declareIndexes(options.indexes).catch(onTroubled)
  return database
}

/** Closes the file when its tree cannot be served, so that the operator can repair it. */
function databaseOn(store: Store, settings: DatabaseSettings): Database {
  try {
    return new Database(store, settings)
  } catch (error) {
    store.close().catch(() => {})
    throw error
  }
}

function limitsOf(options: LimitOptions = {}): Limits {
  return { ...defaultLimits, ...options }
}
