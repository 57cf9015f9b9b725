import type { BatchFormat } from '../format/batch-format.ts'
import type { Cutoffs, LeasePage, MessageStore, RecordedBatch, ReportOutcome } from '../message-store.ts'
import type { Counts } from '../model/counts.ts'
import type { SeqRange } from '../model/final-seq.ts'
import type { BatchList, FoundPage, LookupCursor, MessageSearch } from '../model/lookup.ts'
import type { Batch, ExportCursor, ExportPage, ImportCount, MessageRecord } from '../model/message.ts'
import type { Report } from '../model/report.ts'
import { admitCall } from './admission.ts'
import { readBatchText } from './batch-texts.ts'
import { recordBatch } from './batches.ts'
import { readCounts } from './counts.ts'
import { importRecords } from './imports.ts'
import { Leases } from './leases/leases.ts'
import { exportRecords } from './reads/exports.ts'
import { listBatches, searchMessages } from './reads/lookup.ts'
import { applyReports } from './reports.ts'
import { deleteStep } from './retention.ts'
import type { Tables } from './tables.ts'

/**
 * Text messages in the PostgreSQL tables of a tree. What changes messages or leases them are batches of the tree, so that a
 * sequence number never becomes visible after a greater one.
 */
export class PostgresMessageStore implements MessageStore {
  readonly #tables: Tables
  readonly #format: BatchFormat
  readonly #leases: Leases

  /**
   * @param tables those of an open tree, `PostgresStore.sideTables`
   * @param format writes the answers about batches
   * @param onError called with an error that is survived; the work is tried again
   */
  constructor(tables: Tables, format: BatchFormat, onError: (error: unknown) => void) {
    this.#tables = tables
    this.#format = format
    this.#leases = new Leases(tables, onError)
  }

  get now(): number {
    return this.#tables.clock.now
  }

  record(batch: Batch): Promise<RecordedBatch> {
    return this.#tables.run((transaction) => recordBatch(transaction, this.#tables.tree, batch))
  }

  report(reports: readonly Report[]): Promise<ReportOutcome> {
    return this.#tables.run((transaction) => applyReports(transaction, this.#tables.tree, reports, this.#format))
  }

  batch(rrid: string): Promise<string | undefined> {
    return readBatchText(this.#tables, rrid, this.#format)
  }

  admit(intervalMs: number): Promise<boolean> {
    return admitCall(this.#tables, intervalMs)
  }

  lease(after: number | undefined, limit: number): Promise<LeasePage | undefined> {
    return this.#leases.lease(after, limit)
  }

  /** Begins to end leases; it goes on while the database is away. */
  release(ranges: readonly SeqRange[]): void {
    this.#leases.release(ranges)
  }

  acknowledge(ranges: readonly SeqRange[], count: number): Promise<void> {
    return this.#leases.acknowledge(ranges, count)
  }

  export(after: ExportCursor | undefined, limit: number): Promise<ExportPage> {
    return exportRecords(this.#tables, after, limit)
  }

  batches(after: LookupCursor | undefined, limit: number): Promise<BatchList> {
    return listBatches(this.#tables, after, limit)
  }

  search(search: MessageSearch, after: LookupCursor | undefined, limit: number): Promise<FoundPage> {
    return searchMessages(this.#tables, search, after, limit)
  }

  import(records: readonly MessageRecord[]): Promise<ImportCount> {
    return this.#tables.run((transaction) => importRecords(transaction, this.#tables, records, this.#format))
  }

  counts(): Promise<Counts> {
    return readCounts(this.#tables, this.#tables.tree)
  }

  deleteOld(cutoffs: Cutoffs): Promise<boolean> {
    return deleteStep(this.#tables, cutoffs)
  }

  /** Resolves when leases that were released are deleted, or cannot be now. Call it before the tree is closed. */
  close(): Promise<void> {
    return this.#leases.close()
  }
}
