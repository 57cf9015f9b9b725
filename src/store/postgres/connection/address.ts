import type { ConnectionOptions } from './lane.ts'

/** Where a database is, and how its connections are made. */
export interface DatabaseAddress {
  /**
   * `postgres://user:password@host:port/name`, with `sslmode` if need be. There may be several hosts, `host1:port,host2:port`,
   * or in their place the folder of a socket: `?host=/run/postgresql`.
   */
  readonly url: string
  /** The same database as the owner of the tables, who changes them. Default: `url`. */
  readonly ownerUrl?: string | undefined
  /** Schema of the tables. Default `dhole`. */
  readonly schema?: string | undefined
  /** Certificate of the authority that has signed the certificate of the database, as PEM text. */
  readonly ca?: string | undefined
  /** Allows connections to other machines that are not encrypted, or whose other end is not verified. */
  readonly insecure?: boolean | undefined
  /**
   * `transaction`: `url` is that of a pooler, which may give each transaction another session. The settings of sessions are
   * then those of the role, and no statement is prepared. Default `none`.
   */
  readonly pooler?: 'none' | 'transaction' | undefined
  /** The same database without the pooler, for what needs a session: notifications and copies. Default: `url`. */
  readonly listenUrl?: string | undefined
}

export const DEFAULT_SCHEMA = 'dhole'

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type SslMode = (typeof MODES)[number]

const OWN_MACHINE = new Set(['localhost', '127.0.0.1', '::1', '[::1]'])
const DEFAULT_PORT = 5432
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/
const PARAMETERS = new Set(['sslmode', 'host'])
/** User and password up to the last `@`, hosts, and the rest. */
const URL_PARTS = /^postgres(?:ql)?:\/\/([^/?#]*@)?([^/?#@]*)(.*)$/is

/**
 * Options of the driver for each host of an address.
 * @throws TypeError for a wrong address, and for a connection to another machine that is not verified. No text of it shows
 * the password.
 */
export function serversOf({ url, ...address }: DatabaseAddress): readonly ConnectionOptions[] {
  const parts = URL_PARTS.exec(url)
  if (parts === null) throw new TypeError('expected an address such as postgres://user@host/name')
  const [, user = '', hosts = '', rest = ''] = parts
  return hosts.split(',').map((host) => serverOf(`http://${user}${host}${rest}`, address))
}

function serverOf(
  url: string,
  { schema = DEFAULT_SCHEMA, ca, insecure, pooler }: Omit<DatabaseAddress, 'url'>,
): ConnectionOptions {
  const parsed = parse(url)
  for (const name of parsed.searchParams.keys()) {
    if (!PARAMETERS.has(name)) throw new TypeError(`the address of the database has an unknown parameter: ${name}`)
  }
  if (!SCHEMA_NAME.test(schema)) {
    throw new TypeError('the schema must be lower-case letters, digits and _, at most 63, and not begin with a digit')
  }
  const folder = parsed.searchParams.get('host') ?? undefined
  if (folder !== undefined && !folder.startsWith('/')) throw new TypeError('host in the address must be a folder')
  const username = decoded(parsed.username)
  const database = decoded(parsed.pathname.slice(1))
  if (username === '') throw new TypeError('the address of the database names no user: postgres://user@host/name')
  if (database === '') throw new TypeError('the address of the database names no database: postgres://user@host/name')
  const port = portOf(url, parsed)
  const isHere = folder !== undefined || OWN_MACHINE.has(parsed.hostname)
  const mode = sslMode(parsed.searchParams.get('sslmode'), isHere, insecure ?? false)
  return {
    adapter: 'postgres',
    ...(folder === undefined
      ? { hostname: parsed.hostname.replace(/^\[|\]$/g, '') }
      : { path: `${folder}/.s.PGSQL.${port}` }),
    port,
    username,
    password: decoded(parsed.password),
    database,
    tls: tlsOf(mode, parsed.hostname, ca),
    ...(pooler === 'transaction'
      ? { connection: { application_name: PROGRAM }, prepare: false }
      : { connection: { application_name: PROGRAM, ...sessionSettings(schema) } }),
  } as ConnectionOptions
}

/** An address whose sessions are ours alone. */
export function directAddress({ listenUrl, ...address }: DatabaseAddress): DatabaseAddress {
  return listenUrl === undefined ? address : { ...address, url: listenUrl, pooler: 'none' }
}

const PROGRAM = 'dhole'

/** Settings that every session must have. */
export function sessionSettings(schema: string): Readonly<Record<string, string>> {
  return { ...SESSION, search_path: schema }
}

/** Parallel workers and JIT compilation cost short statements milliseconds; plans must not change with the parameters. */
const SESSION = {
  synchronous_commit: 'on',
  jit: 'off',
  enable_seqscan: 'off',
  max_parallel_workers_per_gather: '0',
  plan_cache_mode: 'force_generic_plan',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '15s',
}

/** The user of an address. */
export function userOf(url: string): string {
  const [, user = ''] = URL_PARTS.exec(url) ?? []
  return decoded(parse(`http://${user}localhost`).username)
}

/** @param url the address with one host, as an http address: the URL parser knows the parts of those */
function parse(url: string): URL {
  try {
    return new URL(url)
  } catch {
    throw new TypeError('the address of the database is no URL of the form postgres://user:password@host:port/name')
  }
}

/** The parser leaves out port 80, which is that of http addresses. */
function portOf(url: string, { port }: URL): number {
  const given = port === '' ? new URL(url.replace('http:', 'https:')).port : port
  return given === '' ? DEFAULT_PORT : Number(given)
}

function sslMode(given: string | null, isHere: boolean, insecure: boolean): SslMode {
  const mode =
    MODES.find((each) => each === given) ?? (given === null ? (isHere ? 'disable' : 'verify-full') : undefined)
  if (mode === undefined) throw new TypeError(`sslmode must be one of ${MODES.join(', ')}`)
  if (mode !== 'verify-full' && !isHere && !insecure) {
    throw new TypeError(
      `sslmode=${mode} does not verify which machine answers: use sslmode=verify-full, or set DATABASE_INSECURE=true`,
    )
  }
  return mode
}

function tlsOf(mode: SslMode, hostname: string, ca: string | undefined) {
  if (mode === 'disable' || mode === 'allow') return false
  const verifies = mode === 'verify-full' || mode === 'verify-ca'
  return {
    ...(ca === undefined ? {} : { ca }),
    rejectUnauthorized: verifies,
    serverName: hostname,
    ...(mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new TypeError('the address of the database has a wrong % escape')
  }
}
