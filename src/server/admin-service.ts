import { offeredOperations } from '../admin/offered-operations.ts'
import type { AdminTarget } from '../admin/operation.ts'
import type { FailedAttempts } from '../auth/failed-attempts.ts'
import type { AdminService } from '../http/admin/admin-service.ts'
import { isOwnMachine } from './config/config.ts'
import type { Config } from './config/settings.ts'
import type { Logger } from './logging/log.ts'
import type { Operator } from './operator.ts'

/** The admin API of a server; `undefined` without an operator. Changes are logged with the name of the caller. */
export function adminServiceOf(
  config: Config,
  operator: Operator | undefined,
  target: AdminTarget,
  failedAttempts: FailedAttempts,
  logger: Logger,
): AdminService | undefined {
  if (operator === undefined) return undefined
  return {
    operations: offeredOperations(target),
    operator: operator.secret,
    failedAttempts,
    homeApplication: config.APP_ID,
    isLoopbackOnly: isOwnMachine(config.HOST),
    onChange: (operation, caller, address) => {
      const by = caller.role === 'operator' ? 'operator' : `application "${caller.application}"`
      logger.info({ operation, by, address }, 'admin operation')
    },
  }
}
