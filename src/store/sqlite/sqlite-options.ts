import type { SyncLog } from './commit/wal-file.ts'
import { defaultRetention, type LogRetention } from './log/change-log.ts'
import { defaultRecordRetention, type RecordRetention } from './log/idempotency-records.ts'

/** Settings of the SQLite engine; all have defaults. */
export interface SqliteOptions extends Partial<LogRetention>, Partial<RecordRetention> {
  /** Maximum text of a subtree stored as one row, in UTF-16 code units. Default 4096; 0 makes every object interior. */
  readonly inlineLength?: number
  /** Length of a chunk of a string, in UTF-16 code units; a string of more than four chunks is divided. Default 64 Ki. */
  readonly chunkLength?: number
  /** Minimum text of a value that is written ahead of its commit, in UTF-16 code units. Default 16 Ki. */
  readonly stagedLength?: number
  /** Minimum writes of one change that are prepared ahead of its commit. Default 512. */
  readonly preparedWrites?: number
  /** Length of the write-ahead log at which writes pause until it has been moved into the file, in bytes. Default 64 MiB. */
  readonly walLimitBytes?: number
  /** Maximum text in the cache of answers, in UTF-16 code units. Default 32 Mi. */
  readonly cacheLength?: number
  /** Maximum children of a list that is sorted in memory; a longer list gets an index when it is first sorted. Default 64. */
  readonly shortList?: number
  /** Time after which an index that no query has used is dropped, in milliseconds. Default 7 days. */
  readonly indexIdleMs?: number
  /** Maximum entries of all indexes that queries made and no declaration keeps. Default 2,000,000. */
  readonly maxIndexEntries?: number
  /** Replaces `fdatasync`, for tests of what is visible before a sync has returned. */
  readonly syncLog?: SyncLog
}

const MEBI = 1024 * 1024
export const defaultStorage = {
  inlineLength: 4096,
  chunkLength: 64 * 1024,
  stagedLength: 16 * 1024,
  preparedWrites: 512,
  walLimitBytes: 64 * MEBI,
  cacheLength: 32 * MEBI,
  shortList: 64,
  indexIdleMs: 7 * 24 * 60 * 60 * 1000,
  maxIndexEntries: 2_000_000,
  ...defaultRetention,
  ...defaultRecordRetention,
}
