import { and, desc, eq, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { findBatch } from './batches.ts'
import { type CountName, STATE_COUNTS, Tally } from './counts.ts'
import type { Finals } from './finals.ts'
import type { MessageName, Report, ReportCount, State } from './report.ts'
import { batch, contradiction, message } from './schema.ts'
import { bound, perConnection } from './tables.ts'

/** Reports taken in before others get their turn. */
const STRETCH = 200
/** Messages of one id that are looked at. */
const SAME_ID = 16

/** A message as far as a report can change it. */
export interface Found {
  readonly batchId: number
  readonly position: number
  readonly rrid: string
  readonly mobile: string
  readonly status: State
  readonly code: string
  readonly messageId: string | null
}

const found = {
  batchId: message.batchId,
  position: message.position,
  mobile: message.mobile,
  status: message.status,
  code: message.code,
  messageId: message.messageId,
}

const statements = perConnection((orm) => ({
  byMobile: orm
    .select(found)
    .from(message)
    .where(and(eq(message.batchId, bound('batchId')), eq(message.mobile, bound('mobile'))))
    .prepare(),
  byMessageId: orm
    .select({ ...found, rrid: batch.rrid, submittedAt: batch.submittedAt })
    .from(message)
    .innerJoin(batch, eq(batch.id, message.batchId))
    .where(eq(message.messageId, bound('messageId')))
    .orderBy(desc(message.batchId))
    .limit(SAME_ID)
    .prepare(),
  change: orm
    .update(message)
    .set({
      status: sql`${sql.placeholder('status')}`,
      code: sql`${sql.placeholder('code')}`,
      receivedAt: sql`${sql.placeholder('receivedAt')}`,
      producedAt: sql`${sql.placeholder('producedAt')}`,
      finalSeq: sql`${sql.placeholder('finalSeq')}`,
      returnedAt: sql`${sql.placeholder('returnedAt')}`,
    })
    .where(and(eq(message.batchId, bound('batchId')), eq(message.position, bound('position'))))
    .prepare(),
  contradict: orm
    .insert(contradiction)
    .values({
      rrid: sql.placeholder('rrid'),
      mobile: sql.placeholder('mobile'),
      status: sql.placeholder('status'),
      code: sql.placeholder('code'),
      receivedAt: sql.placeholder('receivedAt'),
      arrivedAt: sql.placeholder('arrivedAt'),
    })
    .onConflictDoNothing()
    .prepare(),
}))

/** What becomes of a message when its state changes. */
export interface MessageChange {
  readonly status: State
  readonly code: string
  readonly receivedAt: number | null
  readonly producedAt: number | null
  readonly finalSeq: number | null
  readonly returnedAt: number | null
}

export function changeMessage(orm: BunSQLiteDatabase, { batchId, position }: Found, change: MessageChange): void {
  statements(orm).change.run({ ...change, batchId, position })
}

/** What became of reports, and of which batches something has changed. */
export interface TakenReports extends ReportCount {
  readonly changed: ReadonlySet<string>
}

/** Takes reports in, in their order. @see docs/protocol.md#states */
export function* takeReports(
  orm: BunSQLiteDatabase,
  reports: readonly Report[],
  finals: Finals,
): Generator<void, TakenReports> {
  const taking = new Taking(orm, finals)
  let accepted = 0
  for (const [at, report] of reports.entries()) {
    if (at % STRETCH === STRETCH - 1) yield
    if (taking.take(report)) accepted++
  }
  taking.end()
  return { accepted, ignored: reports.length - accepted, changed: taking.changed }
}

/** One transaction's worth of reports. */
class Taking {
  readonly #orm: BunSQLiteDatabase
  readonly #finals: Finals
  readonly #now = Date.now()
  readonly #tally = new Tally()
  readonly changed = new Set<string>()
  /** Reports come by the batch. */
  readonly #batches = new Map<string, number | undefined>()

  constructor(orm: BunSQLiteDatabase, finals: Finals) {
    this.#orm = orm
    this.#finals = finals
  }

  end(): void {
    this.#tally.write(this.#orm)
  }

  /** @returns whether it was accepted */
  take(report: Report): boolean {
    const there = this.#find(report.message)
    const fate = there === undefined ? 'reportsUnknown' : this.#tell(there, report)
    this.#tally.add(fate)
    return fate === 'reportsAccepted' || fate === 'reportsRepeated'
  }

  #tell(there: Found, { state, code, receivedAt }: Report): CountName {
    if (there.status === state && there.code === code) return 'reportsRepeated'
    if (there.status > 1) {
      if (state === 1) return 'reportsLate'
      const { rrid, mobile } = there
      statements(this.#orm).contradict.run({ rrid, mobile, status: state, code, receivedAt, arrivedAt: this.#now })
      return 'reportsContradicting'
    }
    const { rrid, mobile } = there
    const isFinal = state > 1
    const finalSeq = isFinal
      ? this.#finals.add(this.#orm, { rrid, mobile, status: state, code, receivedAt }, this.#now)
      : null
    const producedAt = isFinal ? this.#now : null
    changeMessage(this.#orm, there, { status: state, code, receivedAt, producedAt, finalSeq, returnedAt: null })
    this.#tally.add(STATE_COUNTS[there.status], -1)
    this.#tally.add(STATE_COUNTS[state])
    this.changed.add(rrid)
    return 'reportsAccepted'
  }

  #find(name: MessageName): Found | undefined {
    if ('messageId' in name) return newest(statements(this.#orm).byMessageId.all({ messageId: name.messageId }))
    const { rrid, mobile } = name
    const batchId = this.#batchOf(rrid)
    return batchId === undefined ? undefined : messageOf(this.#orm, batchId, rrid, mobile)
  }

  #batchOf(rrid: string): number | undefined {
    if (!this.#batches.has(rrid)) this.#batches.set(rrid, findBatch(this.#orm, rrid))
    return this.#batches.get(rrid)
  }
}

/** Gateways use their numbers again: the message submitted last is meant. An import may have brought older ones since. */
function newest<Message extends { readonly submittedAt: number }>(messages: readonly Message[]): Message | undefined {
  const [first, ...others] = messages
  return others.reduce((last, other) => (last && other.submittedAt > last.submittedAt ? other : last), first)
}

/** The message to a telephone number within a batch. */
export function messageOf(orm: BunSQLiteDatabase, batchId: number, rrid: string, mobile: string): Found | undefined {
  const there = statements(orm).byMobile.get({ batchId, mobile })
  return there && { ...there, rrid }
}
