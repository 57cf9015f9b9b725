import type { Awaitable } from '../tree/awaitable.ts'
import type { Batch, ExportCursor, ExportPage, ImportCount, MessageRecord } from './message.ts'
import type { Report, ReportCount } from './report.ts'

/** Final states on their way to a client: nobody else is given them until this is acknowledged or released. */
export interface Lease {
  /** Records as finished JSON, comma between them, in pieces; empty when there is nothing to tell. */
  readonly pieces: readonly string[]
  /** Number of records. */
  readonly count: number
  /** The client has them: they are never handed over again. Resolves when that is durable. */
  acknowledge(): Promise<void>
  /** The client has not got them all: the next call gets them. Does nothing after `acknowledge`. */
  release(): void
}

/** The text messages of one application. */
export interface Messages {
  /** Key that signs its requests. @throws `sms-key-unknown` */
  readonly key: string
  /** From now on requests are signed with another key. */
  rotate(key: string): void
  /** Counts a batch query. @throws `sms-too-often` */
  admit(): void
  /** Whether a telephone number has the form this application expects. */
  isMobile(text: string): boolean
  /** `YYYY-MM-DD HH:MM:SS` in the zone of the application as milliseconds; `undefined` when it is no such text. */
  parseTime(text: string): number | undefined
  /**
   * Takes a batch in. The same once more changes nothing.
   * @returns its rrid, durable
   * @throws `sms-bad-arguments` when there is another batch of that rrid
   */
  record(batch: Batch): Promise<string>
  /** Takes reports in, all in one transaction. Durable when it resolves. */
  report(reports: readonly Report[]): Promise<ReportCount>
  /** Every message of a batch in the order of submission, as a JSON array; `[]` when there is no such batch. */
  batch(rrid: string): Awaitable<string>
  /** Final states of the last 24 hours that nobody has been given, oldest first. */
  lease(): Awaitable<Lease>
  /** A stretch of all that is kept. @param after where the stretch before ended */
  export(after: ExportCursor | undefined, limit: number): Awaitable<ExportPage>
  /** Adds messages of elsewhere, all in one transaction; the same once more changes nothing. Durable when it resolves. */
  import(records: readonly MessageRecord[]): Promise<ImportCount>
  /** Messages by state, reports by what became of them. */
  counts(): Awaitable<Readonly<Record<string, number>>>
}
