import { readFileSync } from 'node:fs'
import { codeOf, messageOf } from '../../files/system-error.ts'
import type { DatabaseServer } from '../../options.ts'
import type { Config } from './settings.ts'

/** The database server of the settings; `undefined` for files. @throws Error when the file of `DATABASE_CA` cannot be read */
export function databaseServer(config: Config): DatabaseServer | undefined {
  if (config.DATABASE_URL === undefined) return undefined
  return {
    url: config.DATABASE_URL,
    schema: config.DATABASE_SCHEMA,
    insecure: config.DATABASE_INSECURE,
    connections: config.DATABASE_CONNECTIONS,
    waitMs: config.DATABASE_WAIT_MS,
    ...(config.SECRETS_KEY === undefined ? {} : { secretsKey: config.SECRETS_KEY }),
    ...(config.DATABASE_CA === undefined ? {} : { ca: authorityOf(config.DATABASE_CA) }),
  }
}

function authorityOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const reason = codeOf(cause) === 'ENOENT' ? 'there is no such file' : messageOf(cause)
    throw new Error(`DATABASE_CA: ${file}: ${reason}`, { cause })
  }
}
