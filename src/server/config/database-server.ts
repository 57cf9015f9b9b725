import type { DatabaseServer } from '../../options.ts'
import type { Config } from './settings.ts'
import { textOf } from './text-file.ts'

/**
 * The database server of the settings; `undefined` for files.
 * @throws Error when the file of `DATABASE_CA` or `DATABASE_PASSWORD_FILE` cannot be read
 */
export function databaseServer(config: Config): DatabaseServer | undefined {
  const {
    DATABASE_URL: url,
    DATABASE_PASSWORD_FILE: passwordFile,
    DATABASE_OWNER_URL: ownerUrl,
    DATABASE_CA: ca,
  } = config
  if (url === undefined) return undefined
  const complete = (address: string) =>
    passwordFile === undefined ? address : withPassword(address, textOf('DATABASE_PASSWORD_FILE', passwordFile).trim())
  return {
    url: complete(url),
    schema: config.DATABASE_SCHEMA,
    insecure: config.DATABASE_INSECURE,
    connections: config.DATABASE_CONNECTIONS,
    waitMs: config.DATABASE_WAIT_MS,
    ...(config.SECRETS_KEY === undefined ? {} : { secretsKey: config.SECRETS_KEY }),
    reads: config.READS,
    pooler: config.DATABASE_POOLER,
    hints: config.HINTS,
    pollMs: config.POLL_MS,
    ...(config.DATABASE_LISTEN_URL === undefined ? {} : { listenUrl: complete(config.DATABASE_LISTEN_URL) }),
    ...(ownerUrl === undefined ? {} : { ownerUrl }),
    ...(ca === undefined ? {} : { ca: textOf('DATABASE_CA', ca) }),
  }
}

/** An address with the password of its user, which it does not hold yet. */
function withPassword(url: string, password: string): string {
  const [, start = '', user = '', rest = ''] = /^([a-z]+:\/\/)([^:@/?#]*)(@.*)$/is.exec(url) ?? []
  if (user === '')
    throw new Error('DATABASE_PASSWORD_FILE: DATABASE_URL and DATABASE_LISTEN_URL must name a user, and no password')
  return `${start}${user}:${encodeURIComponent(password)}${rest}`
}
