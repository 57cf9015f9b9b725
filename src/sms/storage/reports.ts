import { sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { MessageName, Report, ReportCount } from '../model/report.ts'
import { findBatch } from './batches.ts'
import { type CountName, Tally } from './counts.ts'
import type { Finals } from './finals.ts'
import { changeMessage, type Found, findMessage, findMessageById } from './message-rows.ts'
import { contradiction } from './schema.ts'
import { perConnection } from './tables.ts'

/** Reports taken in before others get their turn. */
const STRETCH = 200

const statements = perConnection((orm) => ({
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

/** What became of reports, and of which batches something has changed. */
export interface TakenReports extends ReportCount {
  readonly changed: ReadonlySet<string>
}

/** Takes reports in, in their order. @see docs/reference/protocol.md#states */
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
    this.#tally.move(there.status, state)
    this.changed.add(rrid)
    return 'reportsAccepted'
  }

  #find(name: MessageName): Found | undefined {
    if ('messageId' in name) return findMessageById(this.#orm, name.messageId)
    const { rrid, mobile } = name
    const batchId = this.#batchOf(rrid)
    return batchId === undefined ? undefined : findMessage(this.#orm, batchId, rrid, mobile)
  }

  #batchOf(rrid: string): number | undefined {
    if (!this.#batches.has(rrid)) this.#batches.set(rrid, findBatch(this.#orm, rrid))
    return this.#batches.get(rrid)
  }
}
