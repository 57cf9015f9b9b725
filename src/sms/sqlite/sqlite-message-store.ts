import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { atOnce } from '../../scheduling/steps.ts'
import type { BatchFormat } from '../format/batch-format.ts'
import type { Cutoffs, LeasePage, MessageStore, RecordedBatch, ReportOutcome } from '../message-store.ts'
import { type Counts, Tally } from '../model/counts.ts'
import type { SeqRange } from '../model/final-seq.ts'
import type { BatchList, FoundPage, LookupCursor, MessageSearch } from '../model/lookup.ts'
import type { Batch, ExportCursor, ExportPage, ImportCount, MessageRecord } from '../model/message.ts'
import type { Report } from '../model/report.ts'
import { QueryInterval } from '../query-interval.ts'
import { readBatchText } from './batch-texts.ts'
import { recordBatch } from './batches.ts'
import { addToCounts, readCounts } from './counts.ts'
import { FinalNumbers, finalStatesIn } from './final-states.ts'
import { addReturned, Leases } from './leases.ts'
import { listBatches, searchMessages } from './lookup.ts'
import { applyReports } from './reports.ts'
import { deleteStep, hasOld } from './retention.ts'
import type { Tables } from './tables.ts'
import { exportRecords, importRecords } from './transfer.ts'

/** Text messages in the SQLite file of a tree. Leases are in memory: only one process has the file open. */
export class SqliteMessageStore implements MessageStore {
  readonly #tables: Tables
  readonly #format: BatchFormat
  readonly #numbers = new FinalNumbers()
  readonly #leases = new Leases()
  readonly #interval = new QueryInterval()

  /** @param format writes the answers about batches */
  constructor(tables: Tables, format: BatchFormat) {
    this.#tables = tables
    this.#format = format
  }

  get now(): number {
    return Date.now()
  }

  record(batch: Batch): Promise<RecordedBatch> {
    return this.#tables.write((orm) => atOnce(() => recordBatch(orm, batch)))
  }

  report(reports: readonly Report[]): Promise<ReportOutcome> {
    return this.#tables.write((orm) => applyReports(orm, reports, this.#numbers, this.#format))
  }

  batch(rrid: string): Awaitable<string | undefined> {
    return this.#tables.read((orm) => readBatchText(orm, rrid, this.#format))
  }

  admit(intervalMs: number): boolean {
    return this.#interval.admit(this.now, intervalMs)
  }

  async lease(after: number | undefined, limit: number): Promise<LeasePage | undefined> {
    await this.#leases.load(this.#tables)
    return await this.#tables.read((orm) => atOnce(() => this.#leasePage(orm, after, limit)))
  }

  release(ranges: readonly SeqRange[]): void {
    this.#leases.release(ranges)
  }

  async acknowledge(ranges: readonly SeqRange[], count: number): Promise<void> {
    await this.#tables.write((orm) => atOnce(() => acknowledge(orm, ranges, count)))
    this.#leases.return(ranges)
  }

  export(after: ExportCursor | undefined, limit: number): Awaitable<ExportPage> {
    return this.#tables.read((orm) => exportRecords(orm, after, limit))
  }

  batches(after: LookupCursor | undefined, limit: number): Awaitable<BatchList> {
    return this.#tables.read((orm) => listBatches(orm, after, limit))
  }

  search(search: MessageSearch, after: LookupCursor | undefined, limit: number): Awaitable<FoundPage> {
    return this.#tables.read((orm) => searchMessages(orm, search, after, limit))
  }

  import(records: readonly MessageRecord[]): Promise<ImportCount> {
    return this.#tables.write((orm) => importRecords(orm, records, this.#numbers, this.#format))
  }

  counts(): Awaitable<Counts> {
    return this.#tables.read((orm) => atOnce(() => readCounts(orm)))
  }

  async deleteOld(cutoffs: Cutoffs): Promise<boolean> {
    if (!(await this.#tables.read((orm) => atOnce(() => hasOld(orm, cutoffs))))) return false
    await this.#tables.write((orm) => deleteStep(orm, cutoffs))
    return true
  }

  /** Finds and leases in one turn of the event loop, so that two calls never get the same states. */
  #leasePage(orm: BunSQLiteDatabase, after: number | undefined, limit: number): LeasePage | undefined {
    for (const free of this.#leases.free(this.now, after)) {
      const records = finalStatesIn(orm, free).slice(0, limit)
      const last = records.at(-1)
      if (last !== undefined) return { range: this.#leases.lease({ first: free.first, last: last.seq }), records }
    }
    return undefined
  }
}

function acknowledge(orm: BunSQLiteDatabase, ranges: readonly SeqRange[], count: number): void {
  addReturned(orm, ranges, Date.now())
  const tally = new Tally()
  tally.add('statusesReturned', count)
  addToCounts(orm, tally)
}
