import type { Elysia } from 'elysia'
import type { ApplicationParts } from './applications/application.ts'
import { Applications } from './applications/applications.ts'
import { replaceSecret } from './applications/replace-secret.ts'
import { Authenticator } from './auth/authenticator.ts'
import { FailedAttempts } from './auth/failed-attempts.ts'
import { readServiceKeys } from './auth/sign-in/service-account.ts'
import { SAFE_SECRET_LENGTH } from './data-folder/secret-file.ts'
import { RULES } from './database/access/authorizer.ts'
import { readStoredInTurns } from './database/access/rule-cache.ts'
import type { ApplicationKeys } from './engines/application-keys.ts'
import { chooseEngine } from './engines/choose-engine.ts'
import type { ApplicationStorage, Engine } from './engines/engine.ts'
import { openLatest } from './engines/open-latest.ts'
import type { AdminService } from './http/admin/admin-service.ts'
import { OwnMachine } from './http/connection/own-machine.ts'
import { Transport } from './http/connection/transport.ts'
import type { Service } from './http/exchange.ts'
import { ClientLimits } from './http/limits/client-limits.ts'
import { defaultClientLimits } from './http/limits/limit-settings.ts'
import { Routes, treePlugin } from './http/plugin.ts'
import { OpenConnections } from './http/sdk/connection/open-connections.ts'
import { LeftApplications } from './http/sdk/on-disconnect/left-applications.ts'
import { writeLeft } from './http/sdk/on-disconnect/left-sessions.ts'
import { OpenStreams } from './http/streams/open-streams.ts'
import { type Observer, type SecretName, silentObserver } from './observer.ts'
import { type InitialRules, LOCKED_RULES, OPEN_RULES, treeOn } from './open-tree.ts'
import type { ApplicationOptions, DholeOptions } from './options.ts'
import type { Awaitable } from './scheduling/awaitable.ts'
import { defaultMessages, Messages, type MessagesParts } from './sms/messages.ts'

export const DEFAULT_DATA_DIR = './data'
export const DEFAULT_APPLICATIONS: Readonly<Record<string, ApplicationOptions>> = { app: {} }
const DEFAULT_FAILED_CREDENTIALS = 30

/** Applications beside those of the options, opened on demand. */
export interface OnDemand {
  /**
   * Options of an application, with its secret if it is in a file; `undefined` when it does not exist.
   * @throws Error when its settings cannot be read
   */
  readonly find: (id: string) => Awaitable<ApplicationOptions | undefined>
  /** Time after which an idle application is closed, in milliseconds. */
  readonly idleMs: number
  /** Maximum open applications. */
  readonly maxOpen: number
}

/** Limits for clients. All listeners of a service share them. */
export function clientLimits({ clients }: Pick<DholeOptions, 'clients'>): ClientLimits {
  return new ClientLimits({ ...defaultClientLimits, ...clients })
}

/** What the plugins of a service share beside the applications. */
export interface MountParts extends Partial<Pick<Service, 'limits' | 'metrics' | 'streams' | 'connections'>> {
  readonly admin?: AdminService | undefined
}

/** The plugin over open applications. `server` mounts the same applications on two listeners. */
export function mount(applications: Applications, options: DholeOptions, parts: MountParts = {}): Elysia {
  const { limits = clientLimits(options), metrics, admin } = parts
  const { streams = new OpenStreams(), connections = new OpenConnections() } = parts
  const observer: Observer = options.observer ?? silentObserver
  const prefix = options.prefix ?? ''
  const { ownNames: names, baseDomain, development } = options
  const machine = new OwnMachine({ names, baseDomain, development })
  const transport = new Transport(options.trustProxy ?? [], machine, {
    plainFromHere: options.development,
    onUnnamed: (peer) => observer.proxyUnnamed?.(peer),
  })
  const docs = options.docs ?? false
  const routes = new Routes({
    applications,
    transport,
    limits,
    streams,
    connections,
    prefix,
    strictTransport: options.strictTransport,
    streamHost: options.streamHost,
    observer,
    metrics,
    admin,
    docs,
  })
  return treePlugin({ routes, prefix, docs, onStop: () => applications.close() })
}

/**
 * Opens every application of the options. A single application serves requests without a name. On a database server they
 * are opened later; what they cannot be opened for is reported.
 * @throws Error when a file is in use or damaged
 */
export function openApplications(options: DholeOptions): Omit<StartedApplications, 'kept'> {
  const { kept, ...started } = startApplications(options)
  kept.catch((error) => options.observer?.storeTroubled('the database', error))
  return started
}

/** Applications that are being opened. */
export interface StartedApplications {
  readonly applications: Applications
  /** Counts wrong credentials of all of them. */
  readonly failedAttempts: FailedAttempts
  /** Resolves when all that stay open are open. @throws what one of them could not be opened for */
  readonly kept: Promise<unknown>
}

/** As `openApplications`, for a caller that waits. @throws Error when a file is in use or damaged */
export function startApplications(
  options: DholeOptions,
  onDemand?: OnDemand,
  engine: Engine = chooseEngine(options.dataDir ?? DEFAULT_DATA_DIR, options),
): StartedApplications {
  const observer: Observer = options.observer ?? silentObserver
  const perMinute = options.failedCredentials ?? DEFAULT_FAILED_CREDENTIALS
  const { shared } = engine
  const failedAttempts = new FailedAttempts(perMinute, {
    shared,
    onFailed: () => observer.credentialFailed?.(),
    onExceeded: (network) => observer.credentialsExceeded?.(network, perMinute),
  })
  const reportOnce = onceForEach()
  const kept = new Map(Object.entries(options.applications ?? DEFAULT_APPLICATIONS))
  const [single] = kept.keys()
  // Later the event loop must not wait for stored rules to be parsed.
  let isStarting = true
  const open = (id: string, found: ApplicationOptions, makes: boolean): Awaitable<ApplicationParts> => {
    const failed = (error: unknown) => observer.storeTroubled(engine.placeOf(id), error)
    const onOutdated = () => void applications.remove(id).catch(failed)
    return openApplication(id, found, { ...options, engine, isStarting, makes, onOutdated }, failedAttempts)
  }
  const applications = new Applications({
    find: (id) => {
      const own = kept.get(id)
      const found = own ?? onDemand?.find(id)
      const opening = (settings?: ApplicationOptions) =>
        settings &&
        (() =>
          openLatest(
            () => onDemand?.find(id),
            settings,
            (latest) => open(id, latest, own !== undefined),
          ))
      return found instanceof Promise ? found.then(opening) : opening(found)
    },
    defaultId: kept.size === 1 ? single : undefined,
    baseDomain: options.baseDomain,
    idleMs: onDemand?.idleMs ?? Number.POSITIVE_INFINITY,
    maxOpen: onDemand?.maxOpen ?? 0,
    onError: (id, error) => reportOnce(error, () => observer.storeTroubled(engine.placeOf(id), error)),
    onClosed: () => engine.close(),
    isSilent: shared && (() => shared.isSilent),
  })
  shared?.onSilent(() => applications.endStreams())
  const left = new LeftApplications(applications)
  shared?.onSessionsLeft((ids) => left.write(ids))
  try {
    const opening = Promise.all([...kept.keys()].map((id) => applications.keep(id)))
    isStarting = false
    return { applications, failedAttempts, kept: opening }
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
interface SharedOptions extends DholeOptions {
  readonly engine: Engine
  readonly isStarting: boolean
  /** Whether the application is made when it does not exist. */
  readonly makes: boolean
  /** Called when the application was removed, or has other settings. */
  readonly onOutdated: () => void
}

function openApplication(
  id: string,
  found: ApplicationOptions,
  options: SharedOptions,
  failedAttempts: FailedAttempts,
): Awaitable<ApplicationParts> {
  const { engine, observer = silentObserver } = options
  const { secret, smsKey } = found
  const withRules = (storage: ApplicationStorage, keys: ApplicationKeys): Awaitable<ApplicationParts> => {
    const parts = (rules: InitialRules['storedRules']) =>
      withLeftWrites(partsOf(id, found, { ...options, storage, keys, storedRules: rules }, failedAttempts))
    const storedRules = options.isStarting ? undefined : readStoredInTurns(storage.tree.setting(RULES))
    return storedRules instanceof Promise ? storedRules.then(parts) : parts(storedRules)
  }
  const withKeys = (storage: ApplicationStorage): Awaitable<ApplicationParts> =>
    closedOnFailure(storage, () => {
      const keys = storage.keys.read({ secret, smsKey }, options.makes ? undefined : found)
      return keys instanceof Promise ? keys.then((read) => withRules(storage, read)) : withRules(storage, keys)
    })
  const storage = engine.open(id, options.storage ?? {}, observer, options.makes)
  return storage instanceof Promise ? storage.then(withKeys) : withKeys(storage)
}

/** Writes what sessions of servers that have ended have left, before there are others. */
function withLeftWrites(parts: ApplicationParts): Awaitable<ApplicationParts> {
  const writing = writeLeft(parts.database, true)
  if (!(writing instanceof Promise)) return parts
  return writing.then(
    () => parts,
    (error: unknown) => {
      parts.onClose?.()
      throw error
    },
  )
}

/** Closes the storage when its application cannot be opened. */
function closedOnFailure<T>({ tree }: ApplicationStorage, work: () => Awaitable<T>): Awaitable<T> {
  const failed = (error: unknown): never => {
    tree.close().catch(() => {})
    throw error
  }
  try {
    const done = work()
    return done instanceof Promise ? done.catch(failed) : done
  } catch (error) {
    return failed(error)
  }
}

/** An application whose storage is open, with its keys and rules. */
type OpenedOptions = SharedOptions & {
  readonly storage: ApplicationStorage
  readonly keys: ApplicationKeys
  readonly storedRules: InitialRules['storedRules']
}

function partsOf(
  id: string,
  { secret: _, smsKey: fixedSmsKey, serviceAccount, open, rules, limits, sms, ...tree }: ApplicationOptions,
  options: OpenedOptions,
  failedAttempts: FailedAttempts,
): ApplicationParts {
  const { engine, storage, keys, storedRules, observer = silentObserver, development = false } = options
  const checked = (name: SecretName, text: string) => {
    if (text.length < SAFE_SECRET_LENGTH) observer.secretShort?.(id, name, text.length)
    return text
  }
  const secret = checked('super secret', keys.secret)
  if (fixedSmsKey !== undefined) checked('SMS key', fixedSmsKey)
  const authenticator = new Authenticator({
    application: id,
    secret,
    failedAttempts,
    development,
    serviceKeys: serviceAccount === undefined ? [] : readServiceKeys(serviceAccount),
  })
  const place = engine.placeOf(id)
  const treeOptions = { limits: { ...options.limits, ...limits }, streams: options.streams ?? {}, observer, ...tree }
  const messageParts: MessagesParts = {
    openStore: (format) => storage.messages(format),
    readKey: () => fixedSmsKey ?? checked('SMS key', keys.smsKey()),
    onError: (error) => observer.storeTroubled(place, error),
    onRecorded: (count) => observer.messagesRecorded?.(count),
    onReported: (accepted, ignored) => observer.messagesReported?.(accepted, ignored),
    onReturned: (count) => observer.statesReturned?.(count),
  }
  const initial = { rules: rules ?? (open ? OPEN_RULES : LOCKED_RULES), keepRules: rules !== undefined, storedRules }
  const database = treeOn(storage, place, treeOptions, initial)
  const messages = new Messages(messageParts, { ...defaultMessages, ...options.sms, ...sms })
  let current = secret
  storage.keys.follow({
    onKeys: (replaced) => {
      if (replaced.secret !== current) replaceSecret({ authenticator, database }, replaced.secret)
      current = replaced.secret
      messages.rotate(replaced.smsKey())
    },
    onOutdated: options.onOutdated,
  })
  messages.startPurging()
  storage.onReplaced(() => messages.close())
  observer.applicationOpened?.(id)
  const onClose = () => {
    messages.close()
    observer.applicationClosed?.(id)
  }
  return { authenticator, database, messages, isLoopbackOnly: open === 'loopback', onClose }
}
