import { Elysia } from 'elysia'
import { Administration, type DefaultApplication, fixedKeys } from '../admin/administration.ts'
import { type ControlSocket, listenForCommands, OtherServerError } from '../admin/control/control-server.ts'
import { socketPath } from '../admin/control/socket-path.ts'
import type { AdminTarget } from '../admin/operation.ts'
import { Registry } from '../admin/registry.ts'
import { serverTarget } from '../admin/server-target.ts'
import type { Applications } from '../applications/applications.ts'
import { makeDataFolder } from '../data-folder/create.ts'
import { removePermissionsOfOthers } from '../data-folder/private-modes.ts'
import { clientLimits, mount, type OnDemand, openApplications } from '../dhole.ts'
import type { MetricsPage } from '../http/system/metrics-page.ts'
import type { DholeOptions } from '../options.ts'
import { type Config, isOwnMachine, proxiesOf, readIndexes, readRules } from './config/config.ts'
import { noteAccess } from './config/startup-warnings.ts'
import { type Keys, keysOf, showKeys } from './keys.ts'
import { type Address, listenProblem } from './listeners/listen-problem.ts'
import { listenForMetrics, type MetricsServer } from './listeners/metrics-listener.ts'
import { type Listening, SecureListener } from './listeners/secure-listener.ts'
import { createLogger, isForPeople, type Logger, logObserver } from './logging/log.ts'
import { observeBoth } from './logging/observers.ts'
import { Metrics } from './metrics/metrics.ts'
import { PrometheusPage } from './metrics/metrics-page.ts'
import { checkStart } from './start-checks.ts'
import type { Certificate } from './tls/certificate.ts'
import { certificateSource } from './tls/certificate-source.ts'
import { localUrl, tlsNames } from './tls/own-names.ts'
import { CertificateRenewal, noteValidity } from './tls/renewal.ts'
import { welcome } from './welcome.ts'

/** A server that is listening. */
export interface RunningServer {
  /** Address of the HTTPS listener, such as `https://127.0.0.1:8443`. */
  readonly url: string
  /** Looks for a new certificate; the log says what came of it. */
  reload(): Promise<void>
  /**
   * Finishes requests under way, folds the databases and closes them.
   * @param hurried cuts off the requests still under way when it resolves
   */
  stop(hurried?: Promise<void>): Promise<void>
  /** Settles when the server has ended by itself because it can no longer keep its promises. */
  readonly failed: Promise<void>
}

/** Bodies above the write limit are answered by us, with a JSON error, as long as they are not longer than this. */
const MAX_REQUEST_BYTES = 1024 ** 3
/** Time that requests under way get when the server stops. */
const STOP_GRACE_MS = 10_000

/**
 * Starts the server and prints where it listens.
 * @throws Error with a message for the operator: port in use, file in use, bad certificate, wrong rules
 */
export async function serve(config: Config): Promise<RunningServer> {
  const logger = await createLogger(config.LOG_LEVEL, isForPeople(config.LOG_FORMAT))
  const rules = readRules(config)
  await checkStart(config)
  makeDataFolder(config.DATA_DIR)
  closeToOthers(config.DATA_DIR, logger)
  const failure = Promise.withResolvers<void>()
  const keys = keysOf(config)
  // Even if the start fails further on: the next one does not show them.
  showKeys(config, keys, logger)
  const counted = new Metrics()
  const metrics = new PrometheusPage(counted)
  const log = logObserver(logger, { slowMs: config.SLOW_REQUEST_MS, onStoreFailed: failure.resolve })
  const options: DholeOptions = {
    ...optionsOf(config, keys, rules),
    observer: observeBoth(counted, log),
  }
  const source = certificateSource(config)
  const certificate = await source.read()
  noteValidity(certificate, source.name, logger)
  const applications = openApplications(options, registered(config))
  const renewing = Promise.withResolvers<CertificateRenewal>()
  const where: { url?: string } = {}
  let control: ControlSocket | undefined
  try {
    const reload = () => renewing.promise.then((found) => found.reload())
    control = await controlOf(config, applications, logger, { reload, process: () => ({ pid: process.pid, ...where }) })
    const listeners = listen(config, certificate, applications, options, metrics)
    const renewal = new CertificateRenewal(source, listeners.secure, logger, config.TLS_CHECK_MS)
    renewing.resolve(renewal)
    where.url = listeners.secure.url.origin
    for (const { database } of applications.open) noteAccess(config, database, rules, logger)
    const port = Number(listeners.secure.url.port)
    announce(listeners, logger)
    welcome({ config, port, source, logger, isForPeople: isForPeople(config.LOG_FORMAT) })
    const url = localUrl(config, port)
    // Read by programs that start a server: the last line of a start.
    process.stdout.write(`listening on ${url}\n`)
    return {
      url,
      reload: () => renewal.reloadQuietly(),
      stop: async (hurried) => {
        logger.info('stopping')
        void hurried?.then(() => logger.warn('not waiting for requests under way'))
        renewal.stop()
        await stop(listeners, applications, control, hurried)
        metrics.close()
        logger.info('stopped')
      },
      failed: failure.promise,
    }
  } catch (error) {
    metrics.close()
    await control?.close()
    await applications.close()
    throw error
  }
}

/** Before anything is opened: what another version or a copy has left readable for others is closed to them. */
function closeToOthers(dataDir: string, logger: Logger): void {
  const { changed, failed } = removePermissionsOfOthers(dataDir)
  if (changed > 0) logger.info(`took the permissions of others from ${changed} files and folders in ${dataDir}`)
  for (const line of failed) logger.warn(line)
}

function optionsOf(config: Config, { secret, smsKey }: Keys, rules: string | undefined): DholeOptions {
  return {
    dataDir: config.DATA_DIR,
    applications: {
      [config.APP_ID]: {
        secret: secret.secret,
        smsKey: smsKey.secret,
        ...(rules === undefined ? { open: isOwnMachine(config.HOST) && 'loopback' } : { rules }),
        profile: config.PROFILE,
        indexPolicy: config.INDEX_POLICY,
        indexes: readIndexes(config),
      },
    },
    ...(config.BASE_DOMAIN === undefined ? {} : { baseDomain: config.BASE_DOMAIN }),
    trustProxy: proxiesOf(config),
    ownNames: tlsNames(config),
    ...(config.HSTS === undefined ? {} : { strictTransport: config.HSTS }),
    docs: true,
    failedCredentials: config.FAILED_CREDENTIALS,
    development: config.DEVELOPMENT,
    streams: { keepAliveMs: config.KEEP_ALIVE_MS },
    ...(config.STREAM_HOST === undefined ? {} : { streamHost: config.STREAM_HOST }),
    limits: {
      maxWriteBytes: config.MAX_WRITE_BYTES,
      maxLeafBytes: config.MAX_LEAF_BYTES,
      maxReadBytes: config.MAX_READ_BYTES,
      maxReadMs: config.MAX_READ_MS,
    },
    clients: {
      ratePerAddress: config.RATE_PER_ADDRESS,
      ratePerApp: config.RATE_PER_APP,
      maxRequests: config.MAX_REQUESTS,
      maxRequestsPerAddress: config.MAX_REQUESTS_PER_ADDRESS,
      maxRequestsPerApp: config.MAX_REQUESTS_PER_APP,
      maxStreams: config.MAX_STREAMS,
      maxStreamsPerAddress: config.MAX_STREAMS_PER_ADDRESS,
      maxStreamsPerApp: config.MAX_STREAMS_PER_APP,
      maxBodies: config.MAX_BODIES,
      idleSeconds: config.IDLE_TIMEOUT_S,
      transferSeconds: config.TRANSFER_TIMEOUT_S,
      maxTransferBytes: config.MAX_TRANSFER_BYTES,
    },
    sms: {
      timeZone: config.SMS_TIME_ZONE,
      mobile: config.SMS_MOBILE,
      retentionDays: config.SMS_RETENTION_DAYS,
      intervalMs: config.SMS_INTERVAL_MS,
    },
    storage: {
      maxChanges: config.CHANGE_LOG_COUNT,
      maxAgeMs: config.CHANGE_LOG_AGE_MS,
      maxNotes: config.IDEMPOTENCY_COUNT,
      noteAgeMs: config.IDEMPOTENCY_AGE_MS,
      indexIdleMs: config.INDEX_IDLE_MS,
      maxIndexEntries: config.INDEX_ENTRIES,
    },
  }
}

/** The applications of `dhole apps`: nothing of them is read before a request names one. */
function registered({ DATA_DIR, APP_IDLE_MS, MAX_OPEN_APPS }: Config): OnDemand {
  const registry = new Registry(DATA_DIR)
  return { find: (id) => registry.find(id), idleMs: APP_IDLE_MS, maxOpen: MAX_OPEN_APPS }
}

/** Takes the commands of `dhole apps`, unless that cannot be; the applications are open, so this folder is ours. */
async function controlOf(
  config: Config,
  applications: Applications,
  logger: Logger,
  server: Pick<AdminTarget, 'reload' | 'process'>,
): Promise<ControlSocket | undefined> {
  const path = socketPath(config.DATA_DIR)
  if (path === undefined) {
    logger.warn('the path of DATA_DIR is too long for a socket: what `dhole apps` changes is seen after a restart')
    return undefined
  }
  const administration = new Administration(config.DATA_DIR, defaultApplication(config), applications)
  try {
    return await listenForCommands(path, serverTarget({ administration, applications, ...server }))
  } catch (error) {
    if (error instanceof OtherServerError) throw error
    logger.warn({ path, error: String(error) }, 'no socket: what `dhole apps` changes is seen after a restart')
    return undefined
  }
}

function defaultApplication({ APP_ID, APP_SECRET, SMS_KEY, HOST }: Config): DefaultApplication {
  return { id: APP_ID, fixedKeys: fixedKeys({ APP_SECRET, SMS_KEY }), isOpen: isOwnMachine(HOST) }
}

/** What connections come in by. */
interface Listeners {
  readonly secure: SecureListener
  /** The one that does not encrypt, if it is wanted. */
  readonly plain: Listening | undefined
  /** The one for metrics, if it is wanted. */
  readonly page: MetricsServer | undefined
}

/** The first two over the same open applications. */
function listen(
  config: Config,
  certificate: Certificate,
  applications: Applications,
  options: DholeOptions,
  metrics: MetricsPage,
): Listeners {
  const limits = clientLimits(options)
  // Elysia guesses where the path begins; with a short Host header the guess can be wrong, unless told to look.
  const app = () =>
    new Elysia({ handler: { standardHostname: false } }).use(mount(applications, options, limits, metrics))
  const idleTimeout = config.IDLE_TIMEOUT_S
  const secure = new SecureListener(certificate, config.PORT, ({ cert, key }, port, reusePort) => {
    const address = { host: config.HOST, port, setting: 'PORT' } as const
    return listening(app(), address, { idleTimeout, reusePort, tls: { cert, key }, http2: true })
  })
  let plain: Listening | undefined
  try {
    if (config.HTTP_PORT !== undefined) {
      // Elysia would share the port with another process that has it.
      const address = { host: config.HOST, port: config.HTTP_PORT, setting: 'HTTP_PORT' } as const
      plain = listening(app(), address, { idleTimeout, reusePort: false })
    }
    const page =
      config.METRICS_PORT === undefined ? undefined : listenForMetrics(config.METRICS_PORT, metrics, idleTimeout)
    return { secure, plain, page }
  } catch (error) {
    void secure.stop(true)
    void plain?.stop(true)
    throw error
  }
}

/** What tells a listener from another, but for its address. */
interface ListenerOptions {
  /** Time after which a connection on which nothing happens is closed, in seconds. */
  readonly idleTimeout: number
  readonly reusePort: boolean
  readonly tls?: { readonly cert: string; readonly key: string }
  readonly http2?: boolean
}

function listening(app: Elysia, address: Address, options: ListenerOptions): Listening {
  const before = new Set(process.listeners('beforeExit'))
  const { host: hostname, port } = address
  try {
    app.listen({ hostname, port, maxRequestBodySize: MAX_REQUEST_BYTES, ...options })
  } catch (error) {
    throw listenProblem(address, error)
  }
  // The framework would hold every listener there ever was until the process ends, to stop it then.
  for (const added of process.listeners('beforeExit')) {
    if (!before.has(added)) process.off('beforeExit', added)
  }
  if (app.server === null) throw new Error('the framework has made no listener')
  return app.server
}

function announce({ plain, page }: Listeners, logger: Logger): void {
  if (plain !== undefined) logger.info(`plain HTTP on ${plain.url.origin}`)
  if (page !== undefined) logger.info(`metrics on ${page.url.origin}/metrics`)
}

async function stop(
  { secure, plain, page }: Listeners,
  applications: Applications,
  control: ControlSocket | undefined,
  hurried: Promise<void> | undefined,
): Promise<void> {
  await control?.close()
  // A listener waits for what is under way, and streams end by themselves never.
  applications.endStreams()
  const grace = Promise.withResolvers<void>()
  const timer = setTimeout(grace.resolve, STOP_GRACE_MS)
  void hurried?.then(grace.resolve)
  await Promise.race([Promise.all([secure.stop(), plain?.stop()]), grace.promise])
  clearTimeout(timer)
  await Promise.all([secure.stop(true), plain?.stop(true)])
  await applications.close()
  // The last to go: whoever watches sees how the others end.
  await page?.stop(true)
}
