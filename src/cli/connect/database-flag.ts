import type { DatabaseServer } from '../../options.ts'
import { type RawConfig, readConfig } from '../../server/config/config.ts'
import { databaseServer } from '../../server/config/database-server.ts'
import { configSchema } from '../../server/config/settings.ts'

/** The settings of the environment that say how a database is used. */
export function databaseSettings(): RawConfig {
  const names = Object.keys(configSchema.properties).filter((name) => name.startsWith('DATABASE_'))
  return Object.fromEntries(names.map((name) => [name, process.env[name]]))
}

/** The database of an address, with the other settings of the environment. @throws Error for wrong settings */
export function databaseOf(url: string): DatabaseServer {
  const server = databaseServer(readConfig({ ...databaseSettings(), DATABASE_URL: url }))
  if (server === undefined) throw new Error('the address of the database is empty')
  return server
}
