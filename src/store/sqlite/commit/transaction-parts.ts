import type { Observer } from '../../../observer.ts'
import type { Connection } from '../file/connection.ts'
import { sortInWorker } from '../indexes/building/entry-source.ts'
import type { BuildOptions } from '../indexes/building/options.ts'
import { IndexMaintenance } from '../indexes/maintenance.ts'
import { ChangeLog, type LogRetention } from '../log/change-log.ts'
import { IdempotencyRecords, type RecordRetention } from '../log/idempotency-records.ts'
import { SessionRows } from '../log/session-rows.ts'
import { Settings } from '../log/settings.ts'
import { Staging, type StagingOptions } from '../staging/staging.ts'
import type { RowLengths } from '../tree/branch-writer.ts'
import { DeletedSubtrees } from '../tree/deleted-subtrees.ts'
import { TreeReader } from '../tree/tree-reader.ts'
import { TreeWriter } from '../tree/tree-writer.ts'

/** Parts of the store that take part in transactions, all on the connection of the writer. */
export interface TransactionParts {
  readonly reader: TreeReader
  readonly writer: TreeWriter
  readonly log: ChangeLog
  readonly records: IdempotencyRecords
  readonly settings: Settings
  readonly sessions: SessionRows
  readonly deletedSubtrees: DeletedSubtrees
  readonly indexes: IndexMaintenance
  readonly staging: Staging
}

interface TransactionOptions extends LogRetention, RecordRetention, StagingOptions, RowLengths {
  /** Replaces parts of how indexes are built, for tests of what is written meanwhile. */
  readonly build?: Pick<BuildOptions, 'openSource' | 'shortBuild' | 'stepEntries'>
}

export function transactionParts(
  connection: Connection,
  options: TransactionOptions,
  observer: Observer,
): TransactionParts {
  const reader = new TreeReader(connection)
  const log = new ChangeLog(connection, options)
  const indexes = new IndexMaintenance(connection, reader, {
    onBegun: () => observer.indexBegun?.(),
    onBuilt: (rows, milliseconds) => observer.indexBuilt?.(rows, milliseconds),
    onFailed: (error) => observer.storeTroubled(connection.client.filename, error),
    lastSeq: () => log.lastSeq,
    openSource: sortInWorker,
    ...options.build,
  })
  const deletedSubtrees = new DeletedSubtrees(connection, indexes.definitions, indexes.entries)
  const writer = new TreeWriter(connection, reader, deletedSubtrees, indexes, options)
  return {
    reader,
    writer,
    log,
    records: new IdempotencyRecords(connection, options),
    settings: new Settings(connection),
    sessions: new SessionRows(connection),
    deletedSubtrees,
    indexes,
    staging: new Staging(writer, options),
  }
}
