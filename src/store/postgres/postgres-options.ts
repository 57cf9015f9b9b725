/** Settings of a tree on PostgreSQL; all have defaults. */
export interface PostgresOptions {
  /** Maximum text of a subtree stored as one row, in UTF-16 code units. Default 4096; 0 makes every object interior. */
  readonly inlineLength?: number | undefined
  /** Maximum number of entries in the change log. Default 10,000. */
  readonly maxChanges?: number | undefined
  /** Age up to which an entry of the change log is kept, in milliseconds. Default a day. */
  readonly maxAgeMs?: number | undefined
  /** Age up to which an idempotency record is kept, in milliseconds. Default a day. */
  readonly noteAgeMs?: number | undefined
  /** Maximum number of idempotency records; beyond it the oldest are removed before their time. Default 1,000,000. */
  readonly maxNotes?: number | undefined
  /** Maximum text in the cache of answers, in UTF-16 code units. Default 32 Mi. */
  readonly cacheLength?: number | undefined
  /** Maximum children of a list that is sorted in memory; a longer list gets an index when it is first sorted. Default 64. */
  readonly shortList?: number | undefined
  /** Time after which an index that no query has used is dropped, in milliseconds. Default 7 days. */
  readonly indexIdleMs?: number | undefined
  /** Maximum entries of all indexes that queries made and no declaration keeps. Default 2,000,000. */
  readonly maxIndexEntries?: number | undefined
  /** How long a write waits for a database that is away or busy, in milliseconds. Default 10,000. */
  readonly waitMs?: number | undefined
}

const DAY_MS = 24 * 60 * 60 * 1000

const defaultPostgres = {
  inlineLength: 4096,
  maxChanges: 10_000,
  maxAgeMs: DAY_MS,
  noteAgeMs: DAY_MS,
  maxNotes: 1_000_000,
  cacheLength: 32 * 1024 * 1024,
  shortList: 64,
  indexIdleMs: 7 * DAY_MS,
  maxIndexEntries: 2_000_000,
  waitMs: 10_000,
} satisfies PostgresOptions

/** Settings with every default. */
export type PostgresStoreSettings = { readonly [Name in keyof typeof defaultPostgres]: number }

/** An undefined option is not given. */
export function settingsOf(options: PostgresOptions): PostgresStoreSettings {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return { ...defaultPostgres, ...Object.fromEntries(given) }
}
