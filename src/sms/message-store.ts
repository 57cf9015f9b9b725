import type { Awaitable } from '../scheduling/awaitable.ts'
import type { StatusRecord } from './format/record-text.ts'
import type { Counts } from './model/counts.ts'
import type { SeqRange } from './model/final-seq.ts'
import type { BatchList, FoundPage, LookupCursor, MessageSearch } from './model/lookup.ts'
import type { Batch, ExportCursor, ExportPage, ImportCount, MessageRecord } from './model/message.ts'
import type { Report, ReportCount } from './model/report.ts'

/** A batch that is stored. */
export interface RecordedBatch {
  readonly rrid: string
  /** False when the same batch was stored before. */
  readonly isNew: boolean
}

/** Outcome of reports, and the batches that they changed. */
export interface ReportOutcome extends ReportCount {
  readonly changed: ReadonlySet<string>
}

/** Final states that are leased: no other call gets them until they are acknowledged or released. */
export interface LeasePage {
  readonly range: SeqRange
  /** In the order in which they became final. */
  readonly records: readonly StatusRecord[]
}

/** Ages at which data is deleted. */
export interface Cutoffs {
  /** Batches submitted and contradictions received before this time, in milliseconds since 1970. */
  readonly before: number
  /** Final states with a lower sequence number. */
  readonly finals: number
  /** Ranges of returned states that end below this sequence number. */
  readonly returned: number
}

/**
 * Storage of the text messages of one application. An engine implements it; `test/store-contract/sms/store-contract.ts` holds what
 * every implementation must do. Every method rejects with, or throws, `unavailable` when the storage cannot be used.
 */
export interface MessageStore {
  /** Time by the clock that the times of messages are of, in milliseconds since 1970. */
  readonly now: number
  /**
   * Stores a batch; the same batch again changes nothing. Durable when it resolves.
   * @throws `sms-bad-arguments` when there is another batch of that rrid
   */
  record(batch: Batch): Promise<RecordedBatch>
  /** Applies reports in order, in one transaction. Durable when it resolves. */
  report(reports: readonly Report[]): Promise<ReportOutcome>
  /**
   * Messages of a batch in the order of submission, as the `BatchFormat` of the store writes them.
   * @returns `undefined` when there is no such batch
   */
  batch(rrid: string): Awaitable<string | undefined>
  /**
   * Whether a batch query is admitted: none was admitted within the interval before, by this process or another one that has the
   * storage open. A refused one does not count.
   * @param intervalMs in milliseconds; 0 admits all
   */
  admit(intervalMs: number): Awaitable<boolean>
  /**
   * Leases the oldest final states of the last 24 hours that are not returned and not leased, in one range.
   * @param after sequence number after which to look
   * @param limit most records
   * @returns `undefined` when there are none
   */
  lease(after: number | undefined, limit: number): Promise<LeasePage | undefined>
  /** Ends leases: the states are available again. */
  release(ranges: readonly SeqRange[]): void
  /** Records leased states as returned, for ever. Durable when it resolves. When it fails, the leases go on. */
  acknowledge(ranges: readonly SeqRange[], count: number): Promise<void>
  /** A page of all messages. @param after cursor of the page before */
  export(after: ExportCursor | undefined, limit: number): Awaitable<ExportPage>
  /** Batches, the one recorded or imported last first. @param after cursor of the page before */
  batches(after: LookupCursor | undefined, limit: number): Awaitable<BatchList>
  /**
   * Messages of a batch by position, or to a number, those of the newest batch first. Each call looks at a bounded number of
   * batches: a page may be empty and not the last one.
   * @param after cursor of the page before
   */
  search(search: MessageSearch, after: LookupCursor | undefined, limit: number): Awaitable<FoundPage>
  /** Adds messages from elsewhere, in one transaction; the same messages again change nothing. Durable when it resolves. */
  import(records: readonly MessageRecord[]): Promise<ImportCount>
  /** Messages by state, reports by outcome. */
  counts(): Awaitable<Counts>
  /** Deletes a bounded number of rows that are too old. @returns false when there were none */
  deleteOld(cutoffs: Cutoffs): Promise<boolean>
}
