import type { Elysia } from 'elysia'
import type { ApplicationParts } from './applications/application.ts'
import { Applications } from './applications/applications.ts'
import { Authenticator } from './auth/authenticator.ts'
import { FailedAttempts } from './auth/failed-attempts.ts'
import { keepSecret, SAFE_SECRET_LENGTH, secretFile, smsKeyFile } from './data-folder/secret-file.ts'
import { RULES } from './database/access/authorizer.ts'
import { readStoredInTurns } from './database/access/rule-cache.ts'
import { chooseEngine } from './engines/choose-engine.ts'
import type { ApplicationStorage, Engine } from './engines/engine.ts'
import { OwnMachine } from './http/connection/own-machine.ts'
import { Transport } from './http/connection/transport.ts'
import { ClientLimits, defaultClientLimits } from './http/limits/client-limits.ts'
import { Routes, treePlugin } from './http/plugin.ts'
import type { MetricsPage } from './http/system/metrics-page.ts'
import { type Observer, type SecretName, silentObserver } from './observer.ts'
import { type InitialRules, LOCKED_RULES, OPEN_RULES, treeOn } from './open-tree.ts'
import type { ApplicationOptions, DholeOptions } from './options.ts'
import type { Awaitable } from './scheduling/awaitable.ts'
import { defaultMessages, Messages, type MessagesParts } from './sms/messages.ts'

const DEFAULT_DATA_DIR = './data'
const DEFAULT_APPLICATIONS: Readonly<Record<string, ApplicationOptions>> = { app: {} }
const DEFAULT_FAILED_CREDENTIALS = 30

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
 * Opens every application of the options. A single application serves requests without a name. On a database server they
 * are opened later; what they cannot be opened for is reported.
 * @throws Error when a file is in use or damaged
 */
export function openApplications(options: DholeOptions): Applications {
  const { applications, kept } = startApplications(options)
  kept.catch((error) => options.observer?.storeTroubled('the database', error))
  return applications
}

/** Applications that are being opened. */
export interface StartedApplications {
  readonly applications: Applications
  /** Resolves when all that stay open are open. @throws what one of them could not be opened for */
  readonly kept: Promise<unknown>
}

/** As `openApplications`, for a caller that waits. @throws Error when a file is in use or damaged */
export function startApplications(options: DholeOptions, onDemand?: OnDemand): StartedApplications {
  const dataDir = options.dataDir ?? DEFAULT_DATA_DIR
  const observer: Observer = options.observer ?? silentObserver
  const perMinute = options.failedCredentials ?? DEFAULT_FAILED_CREDENTIALS
  const failedAttempts = new FailedAttempts(perMinute, {
    onFailed: () => observer.credentialFailed?.(),
    onExceeded: (network) => observer.credentialsExceeded?.(network, perMinute),
  })
  const engine = chooseEngine(dataDir, options)
  const reportOnce = onceForEach()
  const kept = new Map(Object.entries(options.applications ?? DEFAULT_APPLICATIONS))
  const [single] = kept.keys()
  // Later the event loop must not wait for stored rules to be parsed.
  let isStarting = true
  const applications = new Applications({
    find: (id) => {
      const found = kept.get(id) ?? onDemand?.find(id)
      return found && (() => openApplication(id, found, { ...options, engine, isStarting }, failedAttempts))
    },
    defaultId: kept.size === 1 ? single : undefined,
    baseDomain: options.baseDomain,
    idleMs: onDemand?.idleMs ?? Number.POSITIVE_INFINITY,
    maxOpen: onDemand?.maxOpen ?? 0,
    onError: (id, error) => reportOnce(error, () => observer.storeTroubled(engine.placeOf(id), error)),
    onClosed: () => engine.close(),
  })
  try {
    const opening = Promise.all([...kept.keys()].map((id) => applications.keep(id)))
    isStarting = false
    return { applications, kept: opening }
  } catch (error) {
    // The first error is reported; errors of closing are not.
    applications.close().catch(() => {})
    throw error
  }
}

/** Reports an error once, however many requests it has failed. */
function onceForEach(): (error: unknown, report: () => void) => void {
  const reported = new WeakSet<Error>()
  return (error, report) => {
    if (error instanceof Error && reported.has(error)) return
    if (error instanceof Error) reported.add(error)
    report()
  }
}

/** Options of all applications, and where they are stored. */
type SharedOptions = DholeOptions & { readonly engine: Engine; readonly isStarting: boolean }

function openApplication(
  id: string,
  { secret, smsKey, open, rules, limits, sms, ...tree }: ApplicationOptions,
  options: SharedOptions,
  failedAttempts: FailedAttempts,
): Awaitable<ApplicationParts> {
  const { engine, dataDir = DEFAULT_DATA_DIR, observer = silentObserver } = options
  const known = secret ?? keepSecret(secretFile(dataDir, id)).secret
  const authenticator = new Authenticator({
    application: id,
    secret: known,
    failedAttempts,
    development: options.development ?? false,
  })
  const checked = (name: SecretName, text: string) => {
    if (text.length < SAFE_SECRET_LENGTH) observer.secretShort?.(id, name, text.length)
    return text
  }
  checked('super secret', known)
  if (smsKey !== undefined) checked('SMS key', smsKey)
  const place = engine.placeOf(id)
  const treeOptions = { limits: { ...options.limits, ...limits }, streams: options.streams ?? {}, observer, ...tree }
  const partsOf = (storage: ApplicationStorage, storedRules: InitialRules['storedRules']): ApplicationParts => {
    const messageParts: MessagesParts = {
      openStore: (format) => storage.messages(format),
      readKey: () => smsKey ?? checked('SMS key', keepSecret(smsKeyFile(dataDir, id)).secret),
      onError: (error) => observer.storeTroubled(place, error),
      onRecorded: (count) => observer.messagesRecorded?.(count),
      onReported: (accepted, ignored) => observer.messagesReported?.(accepted, ignored),
      onReturned: (count) => observer.statesReturned?.(count),
    }
    const initial = { rules: rules ?? (open ? OPEN_RULES : LOCKED_RULES), keepRules: rules !== undefined, storedRules }
    const database = treeOn(storage, place, treeOptions, initial)
    const messages = new Messages(messageParts, { ...defaultMessages, ...options.sms, ...sms })
    messages.startPurging()
    storage.onReplaced(() => messages.close())
    observer.applicationOpened?.(id)
    const onClose = () => {
      messages.close()
      observer.applicationClosed?.(id)
    }
    return { authenticator, database, messages, isLoopbackOnly: open === 'loopback', onClose }
  }
  const withRules = (storage: ApplicationStorage): Awaitable<ApplicationParts> => {
    const storedRules = options.isStarting ? undefined : readStoredInTurns(storage.tree.setting(RULES))
    if (storedRules instanceof Promise) return storedRules.then((read) => partsOf(storage, read))
    return partsOf(storage, storedRules)
  }
  const storage = engine.open(id, options.storage ?? {}, observer)
  return storage instanceof Promise ? storage.then(withRules) : withRules(storage)
}
