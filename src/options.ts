import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Observer } from './observer.ts'
import { type IndexPolicy, type IndexSpec, parseIndexes } from './query/indexes.ts'
import type { Family } from './query/query.ts'
import { DholeError } from './tree/error.ts'

const WHOLE = { minimum: 1 }

/** Name of an application: a host label, so that it can stand in one. */
const APPLICATION_ID = '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'

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
      maxChanges: Type.Integer(WHOLE),
      maxAgeMs: Type.Integer(WHOLE),
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

/** What makes one tree different from another. */
const treeProperties = {
  profile: Type.Optional(Type.Union([Type.Literal('wilddog'), Type.Literal('firebase')])),
  indexPolicy: Type.Optional(Type.Union([Type.Literal('allow'), Type.Literal('require')])),
  indexes: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String({ minLength: 1 })))),
}

const applicationSchema = Type.Object(
  {
    secret: Type.Optional(Type.String({ minLength: 16 })),
    open: Type.Optional(Type.Boolean()),
    ...treeProperties,
  },
  { additionalProperties: false },
)

const databaseSchema = Type.Object(
  {
    file: Type.String({ minLength: 1 }),
    limits: Type.Optional(limitsSchema),
    storage: Type.Optional(storageSchema),
    streams: Type.Optional(streamsSchema),
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
      trustProxy: Type.Array(Type.String({ minLength: 1 })),
      docs: Type.Boolean(),
      streamHost: Type.String({ pattern: '^https://[^/?#]+$' }),
      limits: limitsSchema,
      storage: storageSchema,
      streams: streamsSchema,
      observer: Type.Any(),
    },
    { additionalProperties: false },
  ),
)

/** Bounds on one request; what is left out keeps its default. See `Limits` for each. */
export type LimitOptions = Static<typeof limitsSchema>

/** Settings of the storage engine; what is left out keeps its default. See `SqliteOptions` for each. */
export type StorageOptions = Static<typeof storageSchema>

/** Settings of streams; what is left out keeps its default. See `HubSettings` for each. */
export type StreamOptions = Static<typeof streamsSchema>

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

/** Settings of one application. */
export interface ApplicationOptions extends TreeOptions {
  /** Super secret, at least 16 characters. Default: made on first run and kept in `dataDir`. */
  readonly secret?: string
  /** Lets everybody read and write. Default `false`: only the secret opens. */
  readonly open?: boolean
}

/** Options of `openDatabase()`. */
export interface DatabaseOptions extends TreeOptions {
  /** The SQLite file; made when missing, folders too. */
  readonly file: string
  readonly limits?: LimitOptions
  readonly storage?: StorageOptions
  readonly streams?: StreamOptions
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
  /** Addresses of proxies whose `X-Forwarded-Proto: https` is believed. Default: none. */
  readonly trustProxy?: readonly string[]
  /** Serves the documents at `/swagger` and `/swagger/json`, and `/docs/live`, below the prefix. Default `false`. */
  readonly docs?: boolean
  /** Origin that streams are sent to with a redirect, such as `https://streams.example.org`. Default: they are served here. */
  readonly streamHost?: string
  readonly limits?: LimitOptions
  readonly storage?: StorageOptions
  readonly streams?: StreamOptions
  /** Hears of what goes wrong inside. Default: nobody. */
  readonly observer?: Observer
}

/** @throws TypeError that names every wrong or unknown option */
export function checkDholeOptions(options: DholeOptions): void {
  check(dholeSchema, options)
  for (const { indexes } of Object.values(options.applications ?? {})) checkIndexes(indexes ?? {})
}

/** @throws TypeError that names every wrong or unknown option */
export function checkDatabaseOptions(options: DatabaseOptions): void {
  check(databaseSchema, options)
  checkIndexes(options.indexes ?? {})
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

function check(schema: typeof dholeSchema | typeof databaseSchema, options: unknown): void {
  const problems = [...Value.Errors(schema, options)].map(({ path, message }) => `${path || '/'}: ${message}`)
  if (problems.length > 0) throw new TypeError(`Wrong options: ${problems.join('; ')}`)
}
