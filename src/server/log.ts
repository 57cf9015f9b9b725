import pino, { type Logger } from 'pino'
import type { Observer } from '../observer.ts'

export type { Logger }

/** Structured lines on standard output. */
export function createLogger(level: string): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime })
}

/** Writes what happens inside to the log. */
export function logObserver(logger: Logger, onStoreFailed: () => void): Observer {
  return {
    storeFailed(file, error) {
      logger.fatal({ file, error: describe(error) }, 'cannot make writes durable: nothing more is acknowledged')
      onStoreFailed()
    },
    storeTroubled(file, error) {
      logger.error({ file, error: describe(error) }, 'a step of the storage engine failed')
    },
    requestFailed(method, path, error) {
      logger.error({ method, path, error: describe(error) }, 'request failed')
    },
  }
}

/** Message and stack only: objects attached to an error may hold what must not be logged. */
function describe(error: unknown): { message: string; stack?: string | undefined } {
  return error instanceof Error ? { message: error.message, stack: error.stack } : { message: String(error) }
}
