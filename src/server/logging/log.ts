import pino, { type Logger } from 'pino'
import { SAFE_SECRET_LENGTH } from '../../data-folder/secret-file.ts'
import { RateLimiter } from '../../http/limits/rate-limiter.ts'
import type { EndedConnection, EndedRequest, Observer } from '../../observer.ts'
import { describe, isUnavailable, reasonOf } from './error-text.ts'
import { OutageLog } from './outage-log.ts'
import { RepeatedErrors } from './repeated-errors.ts'

export type { Logger }

/** Statuses from here on are failures of the service. */
const FIRST_FAILURE = 500
const UNAVAILABLE = 503
/**
 * Maximum log lines per second about slow and failed requests, with bursts of twice that. A client must not fill the
 * disk with log lines, nor keep the event loop busy with writing them.
 */
const LINES_PER_SECOND = 10
/** Ends of connections caused by a client that does not behave, or by a limit. */
const CUT_OFF: ReadonlySet<EndedConnection['cause']> = new Set<EndedConnection['cause']>([
  'not-understood',
  'too-big',
  'too-much',
  'too-slow',
])

/** Whether the log is text for a terminal. @param format value of `LOG_FORMAT` */
export function isForPeople(format: string): boolean {
  return format === 'pretty' || (format === 'auto' && process.stdout.isTTY)
}

/**
 * Logger to standard output: JSON lines, or text for a terminal.
 * @see docs/how-to/monitor.md#the-log
 */
export async function createLogger(level: string, isPretty: boolean): Promise<Logger> {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  if (!isPretty) return pino(options)
  // Loaded on demand: most servers have no terminal.
  const { default: pretty } = await import('pino-pretty')
  const colorize = process.stdout.isTTY && !process.env['NO_COLOR']
  return pino(options, pretty({ sync: true, colorize, translateTime: 'SYS:HH:MM:ss', messageFormat: visibleMessage }))
}

/** Replaces control and format characters of a message: parts of it may come from clients. */
function visibleMessage(line: Readonly<Record<string, unknown>>, messageKey: string): string {
  return String(line[messageKey] ?? '').replace(/[\p{Cc}\p{Cf}]/gu, '\u{FFFD}')
}

/** Options of the log. */
export interface LogOptions {
  /** Time from which a request is logged as slow, in milliseconds. 0 means never. */
  readonly slowMs: number
  readonly onStoreFailed: () => void
}

/**
 * Writes what happens inside to the log.
 * @see docs/how-to/monitor.md#the-log
 */
export function logObserver(logger: Logger, { slowMs, onStoreFailed }: LogOptions): ServerLog {
  const logsAll = logger.isLevelEnabled('debug')
  const outage = new OutageLog(logger)
  const troubles = new RepeatedErrors()
  const isSlow = (milliseconds: number) => slowMs > 0 && milliseconds >= slowMs
  const rate = new RateLimiter(LINES_PER_SECOND)
  let omitted = 0
  /** Short keys that are logged already: an application may be opened many times. */
  const short = new Set<string>()
  const isLogged = () => {
    if (!rate.take('', performance.now())) {
      omitted++
      return false
    }
    if (omitted > 0)
      logger.warn({ requests: omitted }, 'more requests were slow or have failed, or connections were cut off')
    omitted = 0
    return true
  }
  return {
    storeFailed(file, error) {
      logger.fatal({ file, error: describe(error) }, 'cannot make writes durable: nothing more is acknowledged')
      onStoreFailed()
    },
    storeTroubled(file, error) {
      // `databaseAway` has reported why.
      if (outage.isOn && isUnavailable(error)) return
      const omitted = troubles.take(`${file} ${reasonOf(error)}`)
      if (omitted === undefined) return
      const more = omitted === 0 ? {} : { repeated: omitted }
      logger.error({ file, error: describe(error), ...more }, 'a step of the storage engine failed')
    },
    databaseAway: (place, reason) => outage.begin(place, reason),
    databaseBack: (place, milliseconds) => outage.end(place, milliseconds),
    startedWithout(problem) {
      // `databaseAway` has reported why.
      if (!outage.isOn) logger.error(problem)
    },
    requestFailed(method, path, error, id) {
      logger.error({ id, method, path, error: describe(error) }, 'request failed')
    },
    credentialsExceeded(network, perMinute) {
      logger.warn({ network }, `${perMinute} wrong credentials within a minute: more are answered 429`)
    },
    proxyUnnamed: once((address: string) =>
      logger.warn(
        { address },
        'a peer that TRUST_PROXY does not name has sent X-Forwarded-For: if it is a proxy of yours, all of its clients count as one',
      ),
    ),
    secretShort(application, name, length) {
      if (short.has(`${application} ${name}`)) return
      short.add(`${application} ${name}`)
      logger.warn(
        { application },
        `the ${name} of application "${application}" has ${length} characters: use ${SAFE_SECRET_LENGTH} or more that are random`,
      )
    },
    requestEnded(request) {
      const { status, milliseconds } = request
      if (status >= FIRST_FAILURE) {
        if (status === UNAVAILABLE && !logsAll && outage.takes()) return
        if (logsAll || isLogged()) logger.error(lineOf(request), 'answered with a failure')
      } else if (isSlow(milliseconds)) {
        if (logsAll || isLogged()) logger.warn(lineOf(request), 'slow request')
      } else if (logsAll) logger.debug(lineOf(request), 'request')
    },
    connectionEnded(connection) {
      if (CUT_OFF.has(connection.cause)) {
        if (logsAll || isLogged()) logger.warn(endOf(connection), 'the connection of an SDK was cut off')
      } else if (logsAll) logger.debug(endOf(connection), 'the connection of an SDK has ended')
    },
  }
}

/** Events that the log writes. */
export type LogObserver = Pick<
  Observer,
  | 'storeFailed'
  | 'storeTroubled'
  | 'databaseAway'
  | 'databaseBack'
  | 'requestFailed'
  | 'requestEnded'
  | 'connectionEnded'
  | 'credentialsExceeded'
  | 'proxyUnnamed'
  | 'secretShort'
>

/** What the log writes: events, and what happens at the start. */
export interface ServerLog extends Required<LogObserver> {
  /** The server listens, and cannot use its database yet. @param problem why, in one line */
  startedWithout(problem: string): void
}

function once<T>(report: (value: T) => void): (value: T) => void {
  let isReported = false
  return (value) => {
    if (!isReported) report(value)
    isReported = true
  }
}

function lineOf({ id, method, path, operation, status, milliseconds, bytesIn, bytesOut, address }: EndedRequest) {
  const ms = Math.round(milliseconds * 1000) / 1000
  return { id, method, path, operation, status, ms, bytesIn, bytesOut, address }
}

function endOf({
  applicationId,
  carrier,
  cause,
  reason,
  milliseconds: ms,
  bytesIn,
  bytesOut,
  address,
}: EndedConnection) {
  return { application: applicationId, carrier, cause, reason, ms, bytesIn, bytesOut, address }
}
