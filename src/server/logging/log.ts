import pino, { type Logger } from 'pino'
import { SAFE_SECRET_LENGTH } from '../../data-folder/secret-file.ts'
import { RateLimiter } from '../../http/limits/rate-limiter.ts'
import type { EndedRequest, Observer } from '../../observer.ts'

export type { Logger }

/** Statuses from here on say that the service has failed, not the client. */
const FIRST_FAILURE = 500
/**
 * Lines a second about requests that were slow or have failed, and twice that at once. Who asks much, or leaves much
 * unfinished, must neither fill the disk of the log nor keep the loop busy with writing it.
 */
const LINES_PER_SECOND = 10

/** Whether the log is for a person. @param format value of `LOG_FORMAT` */
export function isForPeople(format: string): boolean {
  return format === 'pretty' || (format === 'auto' && process.stdout.isTTY)
}

/**
 * Lines on standard output: JSON, or text for a person.
 * @see docs/how-to/monitor.md#the-log
 */
export async function createLogger(level: string, isPretty: boolean): Promise<Logger> {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  if (!isPretty) return pino(options)
  // Read only here: most servers have no terminal.
  const { default: pretty } = await import('pino-pretty')
  const colorize = process.stdout.isTTY && !process.env['NO_COLOR']
  return pino(options, pretty({ sync: true, colorize, translateTime: 'SYS:HH:MM:ss', messageFormat: visibleMessage }))
}

/** A message without what moves a cursor or turns the direction of writing: parts of it may be from outside. */
function visibleMessage(line: Readonly<Record<string, unknown>>, messageKey: string): string {
  return String(line[messageKey] ?? '').replace(/[\p{Cc}\p{Cf}]/gu, '\u{FFFD}')
}

/** What of the log can be set. */
export interface LogOptions {
  /** Requests that take so long are told of, in milliseconds; 0: none. */
  readonly slowMs: number
  readonly onStoreFailed: () => void
}

/**
 * Writes what happens inside to the log.
 * @see docs/how-to/monitor.md#the-log
 */
export function logObserver(logger: Logger, { slowMs, onStoreFailed }: LogOptions): Required<LogObserver> {
  const tellsAll = logger.isLevelEnabled('debug')
  const isSlow = (milliseconds: number) => slowMs > 0 && milliseconds >= slowMs
  const rate = new RateLimiter(LINES_PER_SECOND)
  let leftOut = 0
  /** Keys that were told to be short: an application may be opened many times. */
  const short = new Set<string>()
  const isToldOf = () => {
    if (!rate.take('', performance.now())) {
      leftOut++
      return false
    }
    if (leftOut > 0) logger.warn({ requests: leftOut }, 'more requests were slow or have failed')
    leftOut = 0
    return true
  }
  return {
    storeFailed(file, error) {
      logger.fatal({ file, error: describe(error) }, 'cannot make writes durable: nothing more is acknowledged')
      onStoreFailed()
    },
    storeTroubled(file, error) {
      logger.error({ file, error: describe(error) }, 'a step of the storage engine failed')
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
        if (tellsAll || isToldOf()) logger.error(lineOf(request), 'answered with a failure')
      } else if (isSlow(milliseconds)) {
        if (tellsAll || isToldOf()) logger.warn(lineOf(request), 'slow request')
      } else if (tellsAll) logger.debug(lineOf(request), 'request')
    },
  }
}

/** What the log wants to hear. */
export type LogObserver = Pick<
  Observer,
  | 'storeFailed'
  | 'storeTroubled'
  | 'requestFailed'
  | 'requestEnded'
  | 'credentialsExceeded'
  | 'proxyUnnamed'
  | 'secretShort'
>

function once<T>(tell: (about: T) => void): (about: T) => void {
  let isTold = false
  return (about) => {
    if (!isTold) tell(about)
    isTold = true
  }
}

function lineOf({ id, method, path, operation, status, milliseconds, bytesIn, bytesOut, address }: EndedRequest) {
  const ms = Math.round(milliseconds * 1000) / 1000
  return { id, method, path, operation, status, ms, bytesIn, bytesOut, address }
}

/** Values that a statement was run with: data of the tree. */
const PARAMETERS = /\nparams: .*$/s

/** Message and stack only: objects attached to an error may hold what must not be logged. */
function describe(error: unknown): { message: string; stack?: string | undefined } {
  if (!(error instanceof Error)) return { message: String(error) }
  const message = error.message.replace(PARAMETERS, '')
  return { message, stack: error.stack?.replace(error.message, () => message) }
}
