import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { DholeError } from '../error.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import { ReceiveTime } from './format/receive-time.ts'
import { recordText } from './format/record-text.ts'
import type { Lease } from './model/lease.ts'
import type { Batch, ExportCursor, ExportPage, ImportCount, MessageRecord } from './model/message.ts'
import type { Report, ReportCount } from './model/report.ts'
import { Rate } from './query-interval.ts'
import { BatchTexts } from './storage/batch-texts.ts'
import { batchText, NO_BATCH, recordBatch } from './storage/batches.ts'
import { type Counts, readCounts, Tally } from './storage/counts.ts'
import { type Final, Finals, finalsBetween, type Stretch } from './storage/finals.ts'
import { addHandovers, Leases } from './storage/leases.ts'
import { takeReports } from './storage/reports.ts'
import { purge } from './storage/retention.ts'
import type { Tables } from './storage/tables.ts'
import { exportRecords, importRecords } from './storage/transfer.ts'

/** Final states handed over at once. */
const MAX_RETURNED = 10_000
const FIRST_PURGE_MS = 60 * 1000
const PURGE_EVERY_MS = 60 * 60 * 1000

export interface MessagesSettings {
  /** Zone of `receiveTime`: `+08:00`, or a name such as `Europe/Berlin`. */
  readonly timeZone: string
  /** Pattern of a telephone number. */
  readonly mobile: string
  /** Age up to which messages are kept, in days from their submission. */
  readonly retentionDays: number
  /** Least time from one batch query to the next, in milliseconds; 0: none. */
  readonly intervalMs: number
}

export const defaultMessages: MessagesSettings = {
  timeZone: '+08:00',
  mobile: '^1[0-9]{10}$',
  retentionDays: 90,
  intervalMs: 1000,
}

/** What the messages of one application need. */
export interface MessagesParts {
  readonly tables: Tables
  /** Reads the key that signs, when it is needed first. @throws when there is none */
  readonly readKey: () => string
  /** Hears of what failed and is tried again. */
  readonly onTroubled: (error: unknown) => void
  /** Messages were recorded. */
  readonly onRecorded?: ((count: number) => void) | undefined
  /** Reports were taken in. */
  readonly onReported?: ((accepted: number, ignored: number) => void) | undefined
  /** Final states were handed over. */
  readonly onReturned?: ((count: number) => void) | undefined
}

/**
 * The text messages of one application: what other software has sent, what carriers say of it, and who has been told.
 * @see docs/reference/protocol.md#text-messages
 */
export class Messages {
  /** Writes and reads times in the zone of the application. */
  readonly time: ReceiveTime
  readonly #tables: Tables
  readonly #parts: MessagesParts
  readonly #mobile: RegExp
  readonly #rate: Rate
  readonly #retentionDays: number
  readonly #finals = new Finals()
  readonly #leases = new Leases()
  readonly #texts = new BatchTexts()
  #key: string | undefined
  #timer: Timer | undefined
  #firstTimer: Timer | undefined
  #isClosed = false

  constructor(parts: MessagesParts, { timeZone, mobile, retentionDays, intervalMs }: MessagesSettings) {
    this.time = new ReceiveTime(timeZone)
    this.#tables = parts.tables
    this.#parts = parts
    this.#mobile = new RegExp(mobile, 'u')
    this.#rate = new Rate(intervalMs)
    this.#retentionDays = retentionDays
  }

  /** Key that signs its requests. @throws `sms-key-unknown` */
  get key(): string {
    try {
      this.#key ??= this.#parts.readKey()
      return this.#key
    } catch (cause) {
      this.#parts.onTroubled(cause)
      throw new DholeError('sms-key-unknown', undefined, { cause })
    }
  }

  /** From now on requests are signed with another key. */
  rotate(key: string): void {
    this.#key = key
  }

  /** Counts a batch query. @throws `sms-too-often` */
  admit(): void {
    if (!this.#rate.admit(Date.now())) throw new DholeError('sms-too-often')
  }

  /** Whether a telephone number has the form this application expects. */
  isMobile(text: string): boolean {
    return this.#mobile.test(text)
  }

  /**
   * Takes a batch in; the same once more changes nothing. Durable when it resolves.
   * @returns its rrid
   * @throws `sms-bad-arguments` when there is another batch of that rrid
   */
  async record(batch: Batch): Promise<string> {
    const { rrid, isNew } = await this.#tables.write((orm) => recordBatch(orm, batch))
    if (isNew) this.#parts.onRecorded?.(batch.mobiles.length)
    return rrid
  }

  /** Takes reports in, all in one transaction. Durable when it resolves. */
  async report(reports: readonly Report[]): Promise<ReportCount> {
    const { changed, ...count } = await this.#tables.write((orm) => takeReports(orm, reports, this.#finals))
    for (const rrid of changed) this.#texts.drop(rrid)
    this.#parts.onReported?.(count.accepted, count.ignored)
    return count
  }

  /**
   * Every message of a batch in the order of submission, none when there is no such batch.
   * @returns a finished answer, made once for all who ask: putting the envelope around it each time would cost as much as
   *   sending it
   */
  batch(rrid: string): Awaitable<string> {
    const kept = this.#texts.get(rrid)
    if (kept !== undefined) return kept
    const text = this.#tables.read((orm) => batchText(orm, rrid, this.time))
    // A long one may be of a commit that is no longer the latest when it is finished.
    if (typeof text === 'string' && text !== NO_BATCH) this.#texts.set(rrid, text)
    return text
  }

  /** Final states of the last 24 hours that nobody has been given, oldest first, at most 10,000. */
  async lease(): Promise<Lease> {
    await this.#leases.load(this.#tables)
    const stretches: Stretch[] = []
    const pieces: string[] = []
    let count = 0
    try {
      // Nothing changes among those that are there, so each page may be of another commit, and others get their turn.
      while (count < MAX_RETURNED) {
        // What others have released meanwhile is older, and waits for the next call.
        const after = stretches.at(-1)?.last
        const most = MAX_RETURNED - count
        const page = await this.#tables.read((orm) => leasePage(orm, this.#leases, after, most))
        if (page === undefined) break
        stretches.push(page.stretch)
        pieces.push(page.finals.map((final) => recordText(final, this.time)).join(','))
        count += page.finals.length
        await new Promise(setImmediate)
      }
    } catch (error) {
      this.#leases.release(stretches)
      throw error
    }
    return this.#leaseOf(stretches, pieces, count)
  }

  /** A stretch of all that is kept. @param after where the stretch before ended */
  export(after: ExportCursor | undefined, limit: number): Awaitable<ExportPage> {
    return this.#tables.read((orm) => exportRecords(orm, after, limit))
  }

  /** Adds messages of elsewhere, all in one transaction; the same once more changes nothing. Durable when it resolves. */
  async import(records: readonly MessageRecord[]): Promise<ImportCount> {
    const count = await this.#tables.write((orm) => importRecords(orm, records, this.#finals))
    this.#texts.clear()
    return count
  }

  /** Messages by state, reports by what became of them. */
  counts(): Awaitable<Counts> {
    // biome-ignore lint/correctness/useYield: one look tells
    return this.#tables.read(function* (orm) {
      return readCounts(orm)
    })
  }

  /**
   * From now on deletes every hour what has been kept long enough, for the first time in a minute: the clock of a machine
   * that has just been started may be years ahead.
   */
  keepTidy(): void {
    this.#timer ??= setInterval(() => this.#tidy(), PURGE_EVERY_MS).unref()
    this.#firstTimer ??= setTimeout(() => this.#tidy(), FIRST_PURGE_MS).unref()
  }

  /** Deletes what has been kept long enough. Resolves when that is done. */
  purge(): Promise<void> {
    return purge(this.#tables, this.#retentionDays, {
      isWanted: () => !this.#isClosed,
      onDeleted: () => this.#texts.clear(),
    })
  }

  /** Nothing is begun any more. The tables are somebody else's to close. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    clearTimeout(this.#firstTimer)
  }

  #tidy(): void {
    this.purge().catch((error) => {
      if (!this.#isClosed) this.#parts.onTroubled(error)
    })
  }

  #leaseOf(stretches: readonly Stretch[], pieces: readonly string[], count: number): Lease {
    let isAcknowledged = false
    return {
      pieces,
      count,
      acknowledge: async () => {
        isAcknowledged = true
        try {
          await this.#tables.write((orm) => acknowledge(orm, stretches, count))
          this.#leases.return(stretches)
          this.#parts.onReturned?.(count)
        } catch (error) {
          this.#leases.release(stretches)
          throw error
        }
      },
      release: () => {
        if (!isAcknowledged) this.#leases.release(stretches)
      },
    }
  }
}

/** The oldest final states behind one that are free, from now on leased: no more than a page of them. */
// biome-ignore lint/correctness/useYield: between finding and leasing them nobody else may come
function* leasePage(
  orm: BunSQLiteDatabase,
  leases: Leases,
  after: number | undefined,
  most: number,
): Generator<void, { stretch: Stretch; finals: readonly Final[] } | undefined> {
  for (const free of leases.free(Date.now(), after)) {
    const finals = finalsBetween(orm, free).slice(0, most)
    const last = finals.at(-1)
    if (last !== undefined) return { stretch: leases.lease({ first: free.first, last: last.seq }), finals }
  }
  return undefined
}

// biome-ignore lint/correctness/useYield: a few rows are written
function* acknowledge(orm: BunSQLiteDatabase, stretches: readonly Stretch[], count: number): Generator<void, void> {
  addHandovers(orm, stretches, Date.now())
  const tally = new Tally()
  tally.add('statusesReturned', count)
  tally.write(orm)
}
