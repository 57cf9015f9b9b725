import { DholeError } from '../error.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import { loopTurn } from '../scheduling/loop-turn.ts'
import { BatchTextCache } from './batch-text-cache.ts'
import { BatchFormat } from './format/batch-format.ts'
import { DAY_MS } from './format/calendar.ts'
import { ReceiveTime } from './format/receive-time.ts'
import type { MessageStore } from './message-store.ts'
import type { Counts } from './model/counts.ts'
import { type SeqRange, seqOf } from './model/final-seq.ts'
import type { Lease } from './model/lease.ts'
import type { BatchList, FoundPage, LookupCursor, MessageSearch } from './model/lookup.ts'
import type { Batch, ExportCursor, ExportPage, ImportCount, MessageRecord } from './model/message.ts'
import type { Report, ReportCount } from './model/report.ts'

/** Most final states that one call returns. */
const MAX_RETURNED = 10_000
/** A final state is offered for a day; a day more, in case the clock is corrected. */
const FINALS_KEPT_MS = 2 * DAY_MS
/** Delay of the first purge: the clock of a machine that has just started may be years ahead. */
const FIRST_PURGE_MS = 60 * 1000
const PURGE_EVERY_MS = 60 * 60 * 1000

export interface MessagesSettings {
  /** Zone of `receiveTime`: `+08:00`, or a name such as `Europe/Berlin`. */
  readonly timeZone: string
  /** Pattern of a telephone number. */
  readonly mobile: string
  /** Age up to which messages are kept, in days from their submission. */
  readonly retentionDays: number
  /** Least time between two batch queries, in milliseconds; 0 means no limit. */
  readonly intervalMs: number
}

export const defaultMessages: MessagesSettings = {
  timeZone: '+08:00',
  mobile: '^1[0-9]{10}$',
  retentionDays: 90,
  intervalMs: 1000,
}

/** Dependencies and callbacks of the messages of one application. */
export interface MessagesParts {
  /** Called once. @param format writes the answers about batches */
  readonly openStore: (format: BatchFormat) => MessageStore
  /** Reads the signing key on first use. @throws when there is none */
  readonly readKey: () => string
  /** Called with an error that the service survives; the work is tried again. */
  readonly onError: (error: unknown) => void
  /** Called after messages were recorded. */
  readonly onRecorded?: ((count: number) => void) | undefined
  /** Called after reports were applied. */
  readonly onReported?: ((accepted: number, ignored: number) => void) | undefined
  /** Called after final states were returned. */
  readonly onReturned?: ((count: number) => void) | undefined
}

/**
 * The text messages of one application: what other software has sent, what carriers report about it, and which final
 * states clients have received.
 * @see docs/reference/protocol.md#text-messages
 */
export class Messages {
  /** Formats and parses times in the zone of the application. */
  readonly time: ReceiveTime
  readonly settings: MessagesSettings
  readonly #parts: MessagesParts
  readonly #format: BatchFormat
  readonly #store: MessageStore
  readonly #mobile: RegExp
  readonly #intervalMs: number
  readonly #retentionDays: number
  readonly #texts = new BatchTextCache()
  #key: string | undefined
  #timer: Timer | undefined
  #firstTimer: Timer | undefined
  #isClosed = false

  constructor(parts: MessagesParts, settings: MessagesSettings) {
    const { timeZone, mobile, retentionDays, intervalMs } = settings
    this.settings = settings
    this.time = new ReceiveTime(timeZone)
    this.#parts = parts
    this.#format = new BatchFormat(this.time)
    this.#store = parts.openStore(this.#format)
    this.#mobile = new RegExp(mobile, 'u')
    this.#intervalMs = intervalMs
    this.#retentionDays = retentionDays
  }

  /** Key that signs requests. @throws `sms-key-unknown` */
  get key(): string {
    try {
      this.#key ??= this.#parts.readKey()
      return this.#key
    } catch (cause) {
      this.#parts.onError(cause)
      throw new DholeError('sms-key-unknown', undefined, { cause })
    }
  }

  /** Replaces the signing key. */
  rotate(key: string): void {
    this.#key = key
  }

  /** Counts a batch query. @throws `sms-too-often` */
  async admit(): Promise<void> {
    if (!(await this.#store.admit(this.#intervalMs))) throw new DholeError('sms-too-often')
  }

  /** Whether a telephone number has the form that this application expects. */
  isMobile(text: string): boolean {
    return this.#mobile.test(text)
  }

  /**
   * Stores a batch; the same batch again changes nothing. Durable when it resolves.
   * @returns its rrid
   * @throws `sms-bad-arguments` when there is another batch of that rrid
   */
  async record(batch: Batch): Promise<string> {
    const { rrid, isNew } = await this.#store.record(batch)
    if (isNew) this.#parts.onRecorded?.(batch.mobiles.length)
    return rrid
  }

  /** Applies reports, all in one transaction. Durable when it resolves. */
  async report(reports: readonly Report[]): Promise<ReportCount> {
    const { changed, ...count } = await this.#store.report(reports)
    for (const rrid of changed) this.#texts.delete(rrid)
    this.#parts.onReported?.(count.accepted, count.ignored)
    return count
  }

  /**
   * Every message of a batch in the order of submission, none when there is no such batch.
   * @returns the whole answer as JSON, made once for all callers: adding the envelope each time costs as much as sending
   */
  batch(rrid: string): Awaitable<string> {
    const cached = this.#texts.get(rrid)
    if (cached !== undefined) return cached
    const text = this.#store.batch(rrid)
    // A read of several turns may be of a commit that is no longer the latest: its text is not cached.
    if (text instanceof Promise) return text.then((read) => read ?? this.#format.batch([]))
    if (text === undefined) return this.#format.batch([])
    this.#texts.set(rrid, text)
    return text
  }

  /** Leases final states of the last 24 hours that no client has received, oldest first, at most 10,000. */
  async lease(): Promise<Lease> {
    const ranges: SeqRange[] = []
    const chunks: string[] = []
    let count = 0
    try {
      // Leased states never change, so each page may be of another commit. Other requests run between two pages.
      while (count < MAX_RETURNED) {
        // States released by other calls meanwhile are older; the next call returns them.
        const page = await this.#store.lease(ranges.at(-1)?.last, MAX_RETURNED - count)
        if (page === undefined) break
        ranges.push(page.range)
        chunks.push(page.records.map((record) => this.#format.record(record)).join(','))
        count += page.records.length
        await loopTurn.pause()
      }
    } catch (error) {
      this.#store.release(ranges)
      throw error
    }
    return this.#leaseOf(ranges, chunks, count)
  }

  /** A page of all messages. @param after cursor of the page before */
  export(after: ExportCursor | undefined, limit: number): Awaitable<ExportPage> {
    return this.#store.export(after, limit)
  }

  /** As `MessageStore.batches`. */
  batches(after: LookupCursor | undefined, limit: number): Awaitable<BatchList> {
    return this.#store.batches(after, limit)
  }

  /** As `MessageStore.search`. */
  search(search: MessageSearch, after: LookupCursor | undefined, limit: number): Awaitable<FoundPage> {
    return this.#store.search(search, after, limit)
  }

  /** Adds messages from elsewhere, in one transaction; the same messages again change nothing. Durable when it resolves. */
  async import(records: readonly MessageRecord[]): Promise<ImportCount> {
    const count = await this.#store.import(records)
    this.#texts.clear()
    return count
  }

  /** Messages by state, reports by outcome. */
  counts(): Awaitable<Counts> {
    return this.#store.counts()
  }

  /** Starts to purge every hour. */
  startPurging(): void {
    this.#timer ??= setInterval(() => this.#purgeAndReport(), PURGE_EVERY_MS).unref()
    this.#firstTimer ??= setTimeout(() => this.#purgeAndReport(), FIRST_PURGE_MS).unref()
  }

  /** Deletes messages that are too old, in steps between which other requests run. */
  async purge(): Promise<void> {
    const { now } = this.#store
    const before = now - this.#retentionDays * DAY_MS
    const finals = seqOf(now - FINALS_KEPT_MS)
    const cutoffs = { before, finals, returned: Math.min(finals, seqOf(before)) }
    while (!this.#isClosed && (await this.#store.deleteOld(cutoffs))) this.#texts.clear()
  }

  /** Stops purging. The store is closed by its owner. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    clearTimeout(this.#firstTimer)
  }

  #purgeAndReport(): void {
    this.purge().catch((error) => {
      if (!this.#isClosed) this.#parts.onError(error)
    })
  }

  #leaseOf(ranges: readonly SeqRange[], chunks: readonly string[], count: number): Lease {
    let isAcknowledged = false
    return {
      chunks,
      count,
      acknowledge: async () => {
        isAcknowledged = true
        try {
          await this.#store.acknowledge(ranges, count)
          this.#parts.onReturned?.(count)
        } catch (error) {
          this.#store.release(ranges)
          throw error
        }
      },
      release: () => {
        if (!isAcknowledged) this.#store.release(ranges)
      },
    }
  }
}
