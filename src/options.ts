import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { readServiceKeys } from './auth/sign-in/service-account.ts'
import { DholeError } from './error.ts'
import { messageOf } from './files/system-error.ts'
import { Proxies } from './http/connection/proxies.ts'
import type { Observer } from './observer.ts'
import {
  applicationSettingsSchema,
  type clientsSchema,
  dholeSchema,
  fileDatabaseSchema,
  type limitsSchema,
  type messagesSchema,
  serverDatabaseSchema,
  type storageSchema,
  type streamsSchema,
} from './options/schemas.ts'
import { type IndexPolicy, type IndexSpec, parseIndexes } from './query/index-declarations.ts'
import type { Family } from './query/query.ts'
import { parseRules } from './rules/file/rule-set.ts'
import { ReceiveTime } from './sms/format/receive-time.ts'

/** Limits of one request; absent members keep their defaults. See `Limits` for each. */
export type LimitOptions = Static<typeof limitsSchema>

/** Limits for clients; absent members keep their defaults. See `ClientLimitSettings` for each. */
type ClientOptions = Static<typeof clientsSchema>

/** Settings of the storage engine; absent members keep their defaults. See `SqliteOptions` for each. */
export type StorageOptions = Static<typeof storageSchema>

/** Settings of streams; absent members keep their defaults. See `HubSettings` for each. */
export type StreamOptions = Static<typeof streamsSchema>

/** Settings of text messages; absent members keep their defaults. See `MessagesSettings` for each. */
export type MessagesOptions = Static<typeof messagesSchema>

/** Options of one tree. */
interface TreeOptions {
  /**
   * Query dialect: with `firebase`, integer keys come first when sorted by `$key`, and bounds may hold booleans and
   * values of different types. Default `wilddog`.
   */
  readonly profile?: Family
  /** `require` refuses to sort by a child or value without a declared index. Default `allow`. */
  readonly indexPolicy?: IndexPolicy
  /**
   * Indexes that exist before the first query and are never dropped: `{ '/dinosaurs': ['height'] }`. A key that begins
   * with `$` matches any key; `.value` is the value of the child itself. `{ child: 'height', covering: true }` stores
   * short children in the index too.
   */
  readonly indexes?: IndexSpec
}

/** Settings of one application without its secrets. */
export interface ApplicationSettings extends TreeOptions {
  /**
   * Lets every client read and write until the application has its own rules, including web pages of every site.
   * `loopback` refuses requests of pages of other sites, and requests under host names of other machines; for a service
   * on a loopback address. Default `false`: only the secret gives access.
   */
  readonly open?: boolean | 'loopback'
  /** Source text of its first rules; stored rules stay. Not together with `open`. */
  readonly rules?: string
  /**
   * Public keys or certificates of service accounts as PEM text: custom tokens that Firebase's admin SDKs sign with their
   * private keys sign users in. Default: only tokens of the secret do.
   */
  readonly serviceAccount?: string
  /** Limits of its requests, in place of those of all applications. */
  readonly limits?: LimitOptions
  /** Settings of its text messages, in place of those of all applications. */
  readonly sms?: MessagesOptions
}

/** Settings of one application. */
export interface ApplicationOptions extends ApplicationSettings {
  /** Super secret, at least 16 characters. Default: generated at the first start and kept in `dataDir`. */
  readonly secret?: string
  /**
   * Key that signs its SMS calls, at least 16 characters. Default: generated at the first use and kept in `dataDir`.
   */
  readonly smsKey?: string
}

/** A database server that stores applications, in place of files. */
export interface DatabaseServer {
  /**
   * `postgres://user:password@host:port/name`. Another machine needs `?sslmode=verify-full` or no `sslmode`, which means
   * the same there. `?host=/run/postgresql` names the folder of a socket.
   */
  readonly url: string
  /**
   * The same database as the owner of the tables, who makes and changes them and lets the user of `url` read and write
   * them. Default: that user owns them.
   */
  readonly ownerUrl?: string
  /** Schema of the tables: lower-case letters, digits and `_`. Created when missing. Default `dhole`. */
  readonly schema?: string
  /** Certificate of the authority that has signed that of the server, as PEM text. Default: those of the system. */
  readonly ca?: string
  /** Allows connections to other machines that are not encrypted or not verified. Default `false`. */
  readonly insecure?: boolean
  /** Maximum connections of this process. Default 8. */
  readonly connections?: number
  /** How long a write waits for a server that is away or busy, in milliseconds. Default 10,000. */
  readonly waitMs?: number
  /**
   * Key that encrypts the secrets of applications in the database, 32 bytes in base64; the same for all processes. Default:
   * they are stored as they are.
   */
  readonly secretsKey?: string
  /**
   * `fresh`: a read shows every write that was acknowledged before it, by any process. `recent`: what is in memory is
   * answered without a question to the server, and may be a second old. Default `fresh`.
   */
  readonly reads?: 'fresh' | 'recent'
  /**
   * `transaction`: `url` is that of a pooler such as PgBouncer. The settings of sessions are then those of the role, and no
   * statement is prepared. Default `none`.
   */
  readonly pooler?: 'none' | 'transaction'
  /** The same database without the pooler, for notifications. Default: `url`. */
  readonly listenUrl?: string
  /** How this process learns what others have written: by notifications, or by asking often. Default `notify`. */
  readonly hints?: 'notify' | 'poll'
  /** Time between two questions with `poll`, in milliseconds. Default 25. */
  readonly pollMs?: number
}

/** Options of one tree that the engines share. */
interface OpenedTreeOptions extends TreeOptions {
  readonly limits?: LimitOptions
  readonly storage?: StorageOptions
  readonly streams?: StreamOptions
  /** Source text of its first rules, for callers named with `as`; stored rules stay. Default: all is allowed. */
  readonly rules?: string
  /** Receives internal events, such as failures. Default: none. */
  readonly observer?: Observer
}

/** Options of `openDatabase()` for a file. */
export interface DatabaseOptions extends OpenedTreeOptions {
  /** The SQLite file: a path, or a `file:` or `sqlite:` URL. Created when missing, with its folders. */
  readonly file: string
}

/** Options of `openDatabase()` for a database server. */
export interface ServerDatabaseOptions extends OpenedTreeOptions, DatabaseServer {
  /** Name of the application whose tree it is (lower-case letters, digits, `-`). Default `app`. */
  readonly application?: string
}

/** Options of `dhole()`. */
export interface DholeOptions {
  /** Folder of the databases and generated secrets. Default `./data`. */
  readonly dataDir?: string
  /** Stores the applications on a database server; `dataDir` then holds only secrets. Default: files in `dataDir`. */
  readonly database?: DatabaseServer
  /** Path prefix of the service, such as `/tree`. Default: the root. */
  readonly prefix?: string
  /** Applications by name (lower-case letters, digits, `-`). Default: one named `app`. */
  readonly applications?: Readonly<Record<string, ApplicationOptions>>
  /** Domain whose first label names the application: with `db.example.org`, `chat.db.example.org` is `chat`. */
  readonly baseDomain?: string
  /**
   * More host names and addresses of this machine, beside loopback and names below `baseDomain`. Applications that are
   * open to `loopback`, and `Bearer owner` of `development`, are served under them. Default: none.
   */
  readonly ownNames?: readonly string[]
  /**
   * Addresses and ranges (`10.0.0.0/8`) of proxies whose `X-Forwarded-Proto` and `X-Forwarded-For` are trusted.
   * Default: none.
   */
  readonly trustProxy?: readonly string[]
  /**
   * Value of the header `Strict-Transport-Security`, such as `max-age=31536000`, for responses over TLS under names
   * other than loopback. Default: not sent, because it applies to every port of the name.
   */
  readonly strictTransport?: string
  /** Serves the documents at `/swagger` and `/swagger/json`, and `/docs/live`, below the prefix. Default `false`. */
  readonly docs?: boolean
  /**
   * Serves the console at `/console` and the admin API below `/.admin`, below the prefix. `secret`: that of the operator, at
   * least 16 characters; default: generated and kept in `dataDir`. Default `false`.
   */
  readonly console?: boolean | { readonly secret?: string }
  /** Origin that streams are redirected to, such as `https://streams.example.org`. Default: no redirect. */
  readonly streamHost?: string
  /** Wrong credentials of an address per minute; more get 429. 0 means unlimited. Default 30. */
  readonly failedCredentials?: number
  /**
   * Accepts `Authorization: Bearer owner` as the super secret, and serves this machine over plain HTTP too, like
   * emulators. Only for a service that no other machine can reach.
   */
  readonly development?: boolean
  readonly limits?: LimitOptions
  readonly clients?: ClientOptions
  readonly sms?: MessagesOptions
  readonly storage?: StorageOptions
  readonly streams?: StreamOptions
  /** Receives internal events, such as failures. Default: none. */
  readonly observer?: Observer
}

/** @throws TypeError that names every wrong or unknown option */
export function checkDholeOptions(options: DholeOptions): void {
  check(dholeSchema, options)
  checkProxies(options.trustProxy ?? [])
  checkMessages('Wrong options: sms: ', options.sms ?? {})
  for (const [id, application] of Object.entries(options.applications ?? {})) {
    checkSettings(`applications/${id}/`, application)
  }
}

/** @throws TypeError that names every wrong or unknown setting */
export function checkApplicationSettings(settings: unknown): asserts settings is ApplicationSettings {
  check(applicationSettingsSchema, settings)
  checkSettings('', settings as ApplicationSettings)
}

/** @throws TypeError that names every wrong or unknown option */
export function checkDatabaseOptions(options: DatabaseOptions | ServerDatabaseOptions): void {
  check('url' in options ? serverDatabaseSchema : fileDatabaseSchema, options)
  checkSettings('', options)
}

function checkSettings(where: string, { open, rules, indexes, sms, serviceAccount }: ApplicationSettings): void {
  checkIndexes(indexes ?? {})
  checkServiceAccount(where, serviceAccount)
  checkMessages(`Wrong options: ${where}sms: `, sms ?? {})
  if (rules === undefined) return
  if (open !== undefined) throw new TypeError(`Wrong options: ${where}rules: not together with open`)
  try {
    parseRules(rules)
  } catch (error) {
    throw error instanceof DholeError ? new TypeError(`Wrong options: ${where}rules: ${error.message}`) : error
  }
}

/** @param where prefix of the error text @throws TypeError for an unknown time zone or a wrong pattern */
export function checkMessages(where: string, { timeZone, mobile }: MessagesOptions): void {
  try {
    if (timeZone !== undefined) new ReceiveTime(timeZone)
    if (mobile !== undefined) new RegExp(mobile, 'u')
  } catch (cause) {
    throw new TypeError(where + messageOf(cause), { cause })
  }
}

function checkServiceAccount(where: string, pem: string | undefined): void {
  try {
    if (pem !== undefined) readServiceKeys(pem)
  } catch (cause) {
    throw new TypeError(`Wrong options: ${where}serviceAccount: ${messageOf(cause)}`, { cause })
  }
}

function checkProxies(entries: readonly string[]): void {
  try {
    new Proxies(entries)
  } catch (cause) {
    throw new TypeError(`Wrong options: trustProxy: ${messageOf(cause)}`, {
      cause,
    })
  }
}

function checkIndexes(indexes: IndexSpec): void {
  for (const [list, names] of Object.entries(indexes)) {
    try {
      parseIndexes({ [list]: names })
    } catch (error) {
      throw error instanceof DholeError ? new TypeError(`Wrong options: indexes of ${list}: ${error.message}`) : error
    }
  }
}

function check(schema: TSchema, options: unknown): void {
  const problems = [...Value.Errors(schema, options)].map(({ path, message }) => `${path || '/'}: ${message}`)
  if (problems.length > 0) throw new TypeError(`Wrong options: ${problems.join('; ')}`)
}
