import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Observer } from './observer.ts'

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
      maxChanges: Type.Integer(WHOLE),
      maxAgeMs: Type.Integer(WHOLE),
    },
    { additionalProperties: false },
  ),
)

const applicationSchema = Type.Partial(
  Type.Object({ secret: Type.String({ minLength: 16 }), open: Type.Boolean() }, { additionalProperties: false }),
)

const databaseSchema = Type.Object(
  {
    file: Type.String({ minLength: 1 }),
    limits: Type.Optional(limitsSchema),
    storage: Type.Optional(storageSchema),
    observer: Type.Optional(Type.Any()),
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
      limits: limitsSchema,
      storage: storageSchema,
      observer: Type.Any(),
    },
    { additionalProperties: false },
  ),
)

/** Bounds on one request; what is left out keeps its default. See `Limits` for each. */
export type LimitOptions = Static<typeof limitsSchema>

/** Settings of the storage engine; what is left out keeps its default. See `SqliteOptions` for each. */
export type StorageOptions = Static<typeof storageSchema>

/** Settings of one application. */
export interface ApplicationOptions {
  /** Super secret, at least 16 characters. Default: made on first run and kept in `dataDir`. */
  readonly secret?: string
  /** Lets everybody read and write. Default `false`: only the secret opens. */
  readonly open?: boolean
}

/** Options of `openDatabase()`. */
export interface DatabaseOptions {
  /** The SQLite file; made when missing, folders too. */
  readonly file: string
  readonly limits?: LimitOptions
  readonly storage?: StorageOptions
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
  /** Serves the documents at `/swagger` and `/swagger/json` below the prefix. Default `false`. */
  readonly docs?: boolean
  readonly limits?: LimitOptions
  readonly storage?: StorageOptions
  /** Hears of what goes wrong inside. Default: nobody. */
  readonly observer?: Observer
}

/** @throws TypeError that names every wrong or unknown option */
export function checkDholeOptions(options: DholeOptions): void {
  check(dholeSchema, options)
}

/** @throws TypeError that names every wrong or unknown option */
export function checkDatabaseOptions(options: DatabaseOptions): void {
  check(databaseSchema, options)
}

function check(schema: typeof dholeSchema | typeof databaseSchema, options: unknown): void {
  const problems = [...Value.Errors(schema, options)].map(({ path, message }) => `${path || '/'}: ${message}`)
  if (problems.length > 0) throw new TypeError(`Wrong options: ${problems.join('; ')}`)
}
