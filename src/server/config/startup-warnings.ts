import type { Database } from '../../database/database.ts'
import type { Logger } from '../logging/log.ts'
import { isOwnMachine } from './config.ts'
import type { Config } from './settings.ts'

const HOW_TO_CHANGE = 'PUT /.settings/rules.json with the super secret replaces the rules'

/** Logs who has access to the default application. @param rules source of the rules file, if it is set */
export function warnAboutAccess(config: Config, database: Database, rules: string | undefined, logger: Logger): void {
  if (config.DEVELOPMENT) logger.warn('development: "Authorization: Bearer owner" may do everything')
  if (rules !== undefined) {
    const { hasOwnRules } = database
    if (hasOwnRules && database.rules !== rules) {
      logger.warn(`the rules stored differ from those of ${config.RULES} and stay in force: ${HOW_TO_CHANGE}`)
    } else logger.info(`rules of ${config.RULES}`)
    return
  }
  if (database.hasOwnRules) logger.info('rules stored with the data')
  else if (isOwnMachine(config.HOST)) logger.warn(`open: ${openTo(config)} may read and write. ${HOW_TO_CHANGE}`)
  else logger.warn(`locked: only the super secret may read and write. ${HOW_TO_CHANGE}`)
}

function openTo({ TRUST_PROXY }: Config): string {
  return TRUST_PROXY === undefined ? 'everybody on this machine' : 'everybody on this machine or behind the proxy'
}
