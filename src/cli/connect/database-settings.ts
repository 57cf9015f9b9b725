import type { DatabaseServer } from '../../options.ts'
import { readConfig } from '../../server/config/config.ts'
import { databaseServer } from '../../server/config/database-server.ts'
import { configSchema } from '../../server/config/settings.ts'

/** Settings of the database whose names do not say so. */
const OTHERS = new Set(['SECRETS_KEY', 'SECRETS_KEY_FILE', 'HINTS', 'POLL_MS'])

/**
 * The database server that the environment names, as for a server started here; `undefined` for files.
 * @param url address in place of `DATABASE_URL`
 * @throws Error for wrong settings
 */
export function databaseOfEnvironment(url = process.env['DATABASE_URL']): DatabaseServer | undefined {
  const names = Object.keys(configSchema.properties).filter((name) => name.startsWith('DATABASE_') || OTHERS.has(name))
  return databaseServer(
    readConfig({ ...Object.fromEntries(names.map((name) => [name, process.env[name]])), DATABASE_URL: url }),
  )
}
