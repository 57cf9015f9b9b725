import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { APPLICATION_ID } from './applications/application-id.ts'
import { LEAST_SECRET_LENGTH } from './data-folder/secret-file.ts'
import { DholeError } from './error.ts'
import { Proxies } from './http/connection/proxies.ts'
import { LEAST_IDLE_SECONDS, MOST_IDLE_SECONDS } from './http/limits/client-limits.ts'
import type { Observer } from './observer.ts'
import { type IndexPolicy, type IndexSpec, parseIndexes } from './query/index-declarations.ts'
import type { Family } from './query/query.ts'
import { parseRules } from './rules/file/rule-set.ts'
import { ReceiveTime } from './sms/format/receive-time.ts'

const WHOLE = { minimum: 1 }

/** What `Strict-Transport-Security` may say. */
export const STRICT_TRANSPORT = '^max-age=\\d{1,10}(; ?includeSubDomains)?(; ?preload)?$'

const limitsSchema = Type.Partial(
  Type.Object(
    {
      maxLeafBytes: Type.Integer(WHOLE),
      maxWriteBytes: Type.Integer({ minimum: 1, maximum: 256 * 1024 * 1024 }),
      maxReadBytes: Type.Integer(WHOLE),
      maxReadMs: Type.Integer(WHOLE),
      writeNodesPerSecond: Type.Integer(WHOLE),
    },
    { additionalProperties: false },
  ),
)

const storageSchema = Type.Partial(
  Type.Object(
    {
      inlineLength: Type.Integer({ minimum: 0 }),
      walLimitBytes: Type.Integer(WHOLE),
      cacheLength: Type.Integer({ minimum: 0 }),
      shortList: Type.Integer({ minimum: 0 }),
      indexIdleMs: Type.Integer(WHOLE),
      maxIndexEntries: Type.Integer({ minimum: 0 }),
      maxChanges: Type.Integer(WHOLE),
      maxAgeMs: Type.Integer(WHOLE),
      maxNotes: Type.Integer(WHOLE),
      noteAgeMs: Type.Integer(WHOLE),
    },
    { additionalProperties: false },
  ),
)

const streamsSchema = Type.Partial(
  Type.Object(
    { maxWaiting: Type.Integer(WHOLE), maxEvent: Type.Integer(WHOLE), keepAliveMs: Type.Integer(WHOLE) },
    { additionalProperties: false },
  ),
)

const clientsSchema = Type.Partial(
  Type.Object(
    {
      ratePerAddress: Type.Integer({ minimum: 0 }),
      ratePerApp: Type.Integer({ minimum: 0 }),
      maxRequests: Type.Integer({ minimum: 0 }),
      maxRequestsPerAddress: Type.Integer({ minimum: 0 }),
      maxRequestsPerApp: Type.Integer({ minimum: 0 }),
      maxStreams: Type.Integer({ minimum: 0 }),
      maxStreamsPerAddress: Type.Integer({ minimum: 0 }),
      maxStreamsPerApp: Type.Integer({ minimum: 0 }),
      maxBodies: Type.Integer({ minimum: 0 }),
      idleSeconds: Type.Integer({ minimum: LEAST_IDLE_SECONDS, maximum: MOST_IDLE_SECONDS }),
      transferSeconds: Type.Integer(WHOLE),
      maxTransferBytes: Type.Integer(WHOLE),
    },
    { additionalProperties: false },
  ),
)

const messagesSchema = Type.Partial(
  Type.Object(
    {
      timeZone: Type.String({ minLength: 1 }),
      mobile: Type.String({ minLength: 1 }),
      retentionDays: Type.Integer(WHOLE),
      intervalMs: Type.Integer({ minimum: 0 }),
    },
    { additionalProperties: false },
  ),
)

/** What makes one tree different from another. */
const treeProperties = {
  profile: Type.Optional(Type.Union([Type.Literal('wilddog'), Type.Literal('firebase')])),
  indexPolicy: Type.Optional(Type.Union([Type.Literal('allow'), Type.Literal('require')])),
  indexes: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String({ minLength: 1 })))),
}

/** What of an application is no secret. */
const settingProperties = {
  open: Type.Optional(Type.Union([Type.Boolean(), Type.Literal('loopback')])),
  rules: Type.Optional(Type.String()),
  limits: Type.Optional(limitsSchema),
  sms: Type.Optional(messagesSchema),
  ...treeProperties,
}

const secretSchema = Type.Optional(Type.String({ minLength: LEAST_SECRET_LENGTH }))

const applicationSchema = Type.Object(
  { secret: secretSchema, smsKey: secretSchema, ...settingProperties },
  { additionalProperties: false },
)

const applicationSettingsSchema = Type.Object(settingProperties, { additionalProperties: false })

const databaseSchema = Type.Object(
  {
    file: Type.String({ minLength: 1 }),
    limits: Type.Optional(limitsSchema),
    storage: Type.Optional(storageSchema),
    streams: Type.Optional(streamsSchema),
    rules: Type.Optional(Type.String()),
    observer: Type.Optional(Type.Any()),
    ...treeProperties,
  },
  { additionalProperties: false },
)

const dholeSchema = Type.Partial(
  Type.Object(
    {
      dataDir: Type.String({ minLength: 1 }),
      prefix: Type.String({ pattern: '^(/[^/?#%]+)*$' }),
      applications: Type.Record(Type.String({ pattern: APPLICATION_ID }), applicationSchema, {
        additionalProperties: false,
      }),
      baseDomain: Type.String({ minLength: 1 }),
      ownNames: Type.Array(Type.String({ minLength: 1 })),
      trustProxy: Type.Array(Type.String({ minLength: 1 })),
      strictTransport: Type.String({ pattern: STRICT_TRANSPORT }),
      docs: Type.Boolean(),
      streamHost: Type.String({ pattern: '^https://[^/?#]+$' }),
      failedCredentials: Type.Integer({ minimum: 0 }),
      development: Type.Boolean(),
      limits: limitsSchema,
      clients: clientsSchema,
      sms: messagesSchema,
      storage: storageSchema,
      streams: streamsSchema,
      observer: Type.Any(),
    },
    { additionalProperties: false },
  ),
)

/** Bounds on one request; what is left out keeps its default. See `Limits` for each. */
export type LimitOptions = Static<typeof limitsSchema>

/** What clients may take of the service; what is left out keeps its default. See `ClientLimitSettings` for each. */
type ClientOptions = Static<typeof clientsSchema>

/** Settings of the storage engine; what is left out keeps its default. See `SqliteOptions` for each. */
export type StorageOptions = Static<typeof storageSchema>

/** Settings of streams; what is left out keeps its default. See `HubSettings` for each. */
export type StreamOptions = Static<typeof streamsSchema>

/** Settings of text messages; what is left out keeps its default. See `MessagesSettings` for each. */
export type MessagesOptions = Static<typeof messagesSchema>

/** What makes one tree different from another. */
interface TreeOptions {
  /**
   * Whose answers a query gets where the families of clients differ: with `firebase`, integer keys come first when
   * sorted by `$key`, and booleans and values of different types may stand in bounds. Default `wilddog`.
   */
  readonly profile?: Family
  /** `require` refuses to sort by a child or value without a declared index. Default `allow`. */
  readonly indexPolicy?: IndexPolicy
  /**
   * Indexes that are there before the first query and are never dropped: `{ '/dinosaurs': ['height'] }`. A key that
   * begins with `$` stands for any, `.value` for the children's own values.
   */
  readonly indexes?: IndexSpec
}

/** Settings of one application that are no secret. */
export interface ApplicationSettings extends TreeOptions {
  /**
   * Lets everybody read and write until it has rules of its own, web pages of every site included. `loopback`: refuses
   * requests of pages of other sites, and those under host names that are not this machine's own; for a service that
   * listens on a loopback address. Default `false`: only the secret opens.
   */
  readonly open?: boolean | 'loopback'
  /** Source text of its first rules; those it has already stay. Not together with `open`. */
  readonly rules?: string
  /** Bounds on its requests in place of those for all applications. */
  readonly limits?: LimitOptions
  /** Settings of its text messages in place of those for all applications. */
  readonly sms?: MessagesOptions
}

/** Settings of one application. */
export interface ApplicationOptions extends ApplicationSettings {
  /** Super secret, at least 16 characters. Default: made on first run and kept in `dataDir`. */
  readonly secret?: string
  /**
   * Key that signs the calls about its text messages, at least 16 characters. Default: made when one is needed first and
   * kept in `dataDir`.
   */
  readonly smsKey?: string
}

/** Options of `openDatabase()`. */
export interface DatabaseOptions extends TreeOptions {
  /** The SQLite file; made when missing, folders too. */
  readonly file: string
  readonly limits?: LimitOptions
  readonly storage?: StorageOptions
  readonly streams?: StreamOptions
  /** Source text of its first rules, for those who are named with `as`; those it has already stay. Default: all is allowed. */
  readonly rules?: string
  /** Hears of what goes wrong inside. Default: nobody. */
  readonly observer?: Observer
}

/** Options of `dhole()`. */
export interface DholeOptions {
  /** Folder of the databases and generated secrets. Default `./data`. */
  readonly dataDir?: string
  /** Path the service lives under, such as `/tree`. Default: the root. */
  readonly prefix?: string
  /** Applications by name (lower-case letters, digits, `-`). Default: one named `app`. */
  readonly applications?: Readonly<Record<string, ApplicationOptions>>
  /** Domain whose first label names the application: with `db.example.org`, `chat.db.example.org` is `chat`. */
  readonly baseDomain?: string
  /**
   * Host names and addresses of this machine, beside those of loopback and those below `baseDomain`: applications that
   * are open to `loopback`, and `Bearer owner` of `development`, are served under them. Default: none.
   */
  readonly ownNames?: readonly string[]
  /**
   * Addresses and ranges (`10.0.0.0/8`) of proxies whose `X-Forwarded-Proto` and `X-Forwarded-For` are believed.
   * Default: none.
   */
  readonly trustProxy?: readonly string[]
  /**
   * Value of the header `Strict-Transport-Security`, such as `max-age=31536000`, for answers over TLS under names other
   * than those of loopback. Default: not sent, as it concerns every port of the name.
   */
  readonly strictTransport?: string
  /** Serves the documents at `/swagger` and `/swagger/json`, and `/docs/live`, below the prefix. Default `false`. */
  readonly docs?: boolean
  /** Origin that streams are sent to with a redirect, such as `https://streams.example.org`. Default: they are served here. */
  readonly streamHost?: string
  /** Wrong credentials of an address in a minute after which more are answered 429; 0: any number. Default 30. */
  readonly failedCredentials?: number
  /**
   * Takes `Authorization: Bearer owner` for the super secret, and serves this machine over plain HTTP too, as emulators
   * do. Only where nobody else can connect.
   */
  readonly development?: boolean
  readonly limits?: LimitOptions
  readonly clients?: ClientOptions
  readonly sms?: MessagesOptions
  readonly storage?: StorageOptions
  readonly streams?: StreamOptions
  /** Hears of what goes wrong inside. Default: nobody. */
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
export function checkDatabaseOptions(options: DatabaseOptions): void {
  check(databaseSchema, options)
  checkSettings('', options)
}

function checkSettings(
  where: string,
  { open, rules, indexes, sms }: Pick<ApplicationSettings, 'open' | 'rules' | 'indexes' | 'sms'>,
): void {
  checkIndexes(indexes ?? {})
  checkMessages(`Wrong options: ${where}sms: `, sms ?? {})
  if (rules === undefined) return
  if (open !== undefined) throw new TypeError(`Wrong options: ${where}rules: not together with open`)
  try {
    parseRules(rules)
  } catch (error) {
    throw error instanceof DholeError ? new TypeError(`Wrong options: ${where}rules: ${error.message}`) : error
  }
}

/** @param where what stands before the complaint @throws TypeError for a zone or pattern that does not exist */
export function checkMessages(where: string, { timeZone, mobile }: MessagesOptions): void {
  try {
    if (timeZone !== undefined) new ReceiveTime(timeZone)
    if (mobile !== undefined) new RegExp(mobile, 'u')
  } catch (cause) {
    throw new TypeError(where + (cause instanceof Error ? cause.message : String(cause)), { cause })
  }
}

function checkProxies(entries: readonly string[]): void {
  try {
    new Proxies(entries)
  } catch (cause) {
    throw new TypeError(`Wrong options: trustProxy: ${cause instanceof Error ? cause.message : String(cause)}`, {
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
