import { Elysia } from 'elysia'
import type { Applications } from '../../applications/applications.ts'
import { clientLimits, mount } from '../../dhole.ts'
import type { AdminService } from '../../http/admin/admin-service.ts'
import type { OpenStreams } from '../../http/streams/open-streams.ts'
import type { MetricsPage } from '../../http/system/metrics-page.ts'
import type { DholeOptions } from '../../options.ts'
import type { Config } from '../config/settings.ts'
import type { Logger } from '../logging/log.ts'
import type { Certificate } from '../tls/certificate.ts'
import { type Address, listenProblem } from './listen-problem.ts'
import { listenForMetrics, type MetricsServer } from './metrics-listener.ts'
import { type Listening, SecureListener } from './secure-listener.ts'

/** Maximum body that Dhole itself refuses, with a JSON error; the runtime refuses longer ones. */
const MAX_REQUEST_BYTES = 1024 ** 3
/** Bytes of a frame of a WebSocket around what it writes. SDKs of Wilddog send each message as one frame. */
const FRAME_ENVELOPE_BYTES = 64 * 1024
/** Grace time of open requests when the server stops. */
const STOP_GRACE_MS = 10_000

/** The open listeners of a server. */
export interface Listeners {
  readonly secure: SecureListener
  /** Plain HTTP; `undefined` without `HTTP_PORT`. */
  readonly plain: Listening | undefined
  /** Metrics; `undefined` without `METRICS_PORT`. */
  readonly page: MetricsServer | undefined
}

/** What the listeners share beside the applications. */
export interface ListenerParts {
  /** Served at `/metrics`. */
  readonly metrics: MetricsPage
  /** Where open streams are listed. */
  readonly streams: OpenStreams
  /** The admin API; without it there is none. */
  readonly admin?: AdminService | undefined
}

/**
 * Opens the listeners. HTTPS and plain HTTP share the applications and the limits.
 * @throws Error with a message for the operator when a port cannot be used
 */
export function listen(
  config: Config,
  certificate: Certificate,
  applications: Applications,
  options: DholeOptions,
  { metrics, streams, admin }: ListenerParts,
): Listeners {
  const limits = clientLimits(options)
  const maxPayloadLength = config.MAX_WRITE_BYTES + FRAME_ENVELOPE_BYTES
  // Elysia assumes a minimum length of the Host header and finds the wrong path for a shorter one by default.
  const app = () =>
    new Elysia({ handler: { standardHostname: false }, websocket: { maxPayloadLength } }).use(
      mount(applications, options, limits, metrics, admin, streams),
    )
  const idleTimeout = config.IDLE_TIMEOUT_S
  const secure = new SecureListener(certificate, config.PORT, ({ cert, key }, port, reusePort) => {
    const address = { host: config.HOST, port, setting: 'PORT' } as const
    return listening(app(), address, { idleTimeout, reusePort, tls: { cert, key }, http2: true })
  })
  let plain: Listening | undefined
  try {
    if (config.HTTP_PORT !== undefined) {
      // By default Elysia shares the port with other processes.
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

/** Options of one listener. */
interface ListenerOptions {
  /** Time after which an idle connection is closed, in seconds. */
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
  // Elysia keeps every listener in memory until the process ends, to stop it then.
  for (const added of process.listeners('beforeExit')) {
    if (!before.has(added)) process.off('beforeExit', added)
  }
  if (app.server === null) throw new Error('Elysia has opened no listener')
  return app.server
}

/** Logs the addresses of the optional listeners. */
export function announce({ plain, page }: Listeners, logger: Logger): void {
  if (plain !== undefined) logger.info(`plain HTTP on ${plain.url.origin}`)
  if (page !== undefined) logger.info(`metrics on ${page.url.origin}/metrics`)
}

/** Stops the listeners and closes the applications; logs when requests take longer than the grace time. @param hurried ends that time when it resolves */
export async function stopListeners(
  { secure, plain, page }: Listeners,
  applications: Applications,
  logger: Logger,
  hurried: Promise<void> | undefined,
): Promise<void> {
  // Listeners wait for open requests; streams do not end by themselves.
  applications.stop()
  const grace = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    logger.warn(`requests still open after ${STOP_GRACE_MS / 1000} s are cut off`)
    grace.resolve()
  }, STOP_GRACE_MS)
  void hurried?.then(grace.resolve)
  await Promise.race([Promise.all([secure.stop(), plain?.stop()]), grace.promise])
  clearTimeout(timer)
  await Promise.all([secure.stop(true), plain?.stop(true)])
  await applications.close()
  // Last: monitoring sees the end of the others.
  await page?.stop(true)
}
