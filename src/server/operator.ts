import { OperatorSecret } from '../auth/operator-secret.ts'
import {
  keepSecret,
  newSecret,
  operatorSecretFile,
  SAFE_SECRET_LENGTH,
  writeSecret,
} from '../data-folder/secret-file.ts'
import { DholeError } from '../error.ts'
import type { Config } from './config/settings.ts'
import { isForPeople, type Logger } from './logging/log.ts'

/** The operator of a server, and where the secret is. */
export interface Operator {
  readonly secret: OperatorSecret
  /** Replaces the secret, and ends the sessions of the old one. @throws `admin-state` when a setting fixes it */
  rotate(): string
}

/**
 * The operator of the console; `undefined` without one. A missing secret is made once and kept in a file; it is printed only
 * on a terminal.
 * @throws Error when the file cannot be read or written
 */
export function operatorOf(config: Config, logger: Logger): Operator | undefined {
  const { CONSOLE, DATA_DIR, OPERATOR_SECRET: fixed } = config
  if (!CONSOLE) return undefined
  if (fixed !== undefined) {
    if (fixed.length < SAFE_SECRET_LENGTH) {
      logger.warn(`OPERATOR_SECRET has ${fixed.length} characters: use ${SAFE_SECRET_LENGTH} or more that are random`)
    }
    const rotate = () => {
      throw new DholeError('admin-state', 'the setting OPERATOR_SECRET fixes it: change it and start the server again')
    }
    return { secret: new OperatorSecret(fixed), rotate }
  }
  const file = operatorSecretFile(DATA_DIR)
  const kept = keepSecret(file)
  if (kept.fresh) show(kept.secret, file, config, logger)
  const secret = new OperatorSecret(kept.secret)
  const rotate = () => {
    const fresh = newSecret()
    writeSecret(file, fresh)
    secret.replace(fresh)
    return fresh
  }
  return { secret, rotate }
}

/** As `Operator.rotate`. @throws `admin-state` also without a console */
export function rotated(operator: Operator | undefined): string {
  if (operator === undefined) throw new DholeError('admin-state', 'CONSOLE is false: there is no operator')
  return operator.rotate()
}

function show(secret: string, file: string, config: Config, logger: Logger): void {
  const isShown = process.stdout.isTTY && isForPeople(config.LOG_FORMAT)
  if (!isShown) logger.info(`made the secret of the operator for the console: it is kept in ${file}`)
  else
    process.stdout.write(`secret of the operator for the console, shown only now: ${secret}\nit is kept in ${file}\n`)
}
