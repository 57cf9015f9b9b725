import { sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { BatchFormat } from '../format/batch-format.ts'
import type { ReportOutcome } from '../message-store.ts'
import { Tally } from '../model/counts.ts'
import { judgeReport, type ReportJudgement, reportedState, type StoredMessage } from '../model/message-state.ts'
import type { MessageName, Report } from '../model/report.ts'
import { BatchMessages } from './batch-messages.ts'
import { storeBatchTexts } from './batch-texts.ts'
import { findBatch } from './batches.ts'
import { addToCounts } from './counts.ts'
import { addFinalStates, type FinalNumbers, type FinalState } from './final-states.ts'
import { changeMessage, findMessage, findMessageById, findNamedMessage } from './message-rows.ts'
import { contradiction } from './schema.ts'
import { perConnection } from './tables.ts'

/** Reports applied in one step. */
const STEP = 200

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

/** Applies reports in their order. @see docs/reference/protocol.md#states */
export function* applyReports(
  orm: BunSQLiteDatabase,
  reports: readonly Report[],
  numbers: FinalNumbers,
  format: BatchFormat,
): Generator<void, ReportOutcome> {
  const application = new ReportApplication(orm, numbers, reports)
  let accepted = 0
  for (const [at, report] of reports.entries()) {
    if (at % STEP === STEP - 1) {
      application.flush()
      yield
    }
    if (application.apply(report)) accepted++
  }
  application.flush()
  yield* storeBatchTexts(orm, application.advanced, format, application.messages)
  application.end()
  return { accepted, ignored: reports.length - accepted, changed: application.changed }
}

/** The reports of one transaction. */
class ReportApplication {
  readonly #orm: BunSQLiteDatabase
  readonly #numbers: FinalNumbers
  readonly #now = Date.now()
  readonly #tally = new Tally()
  /** Final states that are not stored yet. */
  #finals: FinalState[] = []
  /** Batches of which a message has changed. */
  readonly changed = new Set<string>()
  /** Those of which a message has become final: rrids by row id. */
  readonly advanced = new Map<number, string>()
  /** Row ids of batches: many reports are of one batch. */
  readonly #batches = new Map<string, number | undefined>()
  /** Number of reports about each batch that they name. */
  readonly #counts = new Map<string, number>()
  /** Messages of the batches that were found by their rrid, where they are held. */
  readonly messages = new Map<string, BatchMessages | undefined>()

  constructor(orm: BunSQLiteDatabase, numbers: FinalNumbers, reports: readonly Report[]) {
    this.#orm = orm
    this.#numbers = numbers
    for (const { message } of reports) {
      if ('rrid' in message) this.#counts.set(message.rrid, (this.#counts.get(message.rrid) ?? 0) + 1)
    }
  }

  /** Stores the final states so far. */
  flush(): void {
    addFinalStates(this.#orm, this.#finals)
    this.#finals = []
  }

  end(): void {
    addToCounts(this.#orm, this.#tally)
  }

  /** @returns whether the report is accepted */
  apply(report: Report): boolean {
    const stored = this.#find(report.message)
    const outcome = stored === undefined ? 'reportsUnknown' : this.#change(stored, report)
    this.#tally.add(outcome)
    return outcome === 'reportsAccepted' || outcome === 'reportsRepeated'
  }

  #change(stored: StoredMessage, report: Report): ReportJudgement {
    const judgement = judgeReport(stored, report)
    const { rrid, mobile } = stored
    const { state: status, code, receivedAt } = report
    const record = { rrid, mobile, status, code, receivedAt }
    if (judgement === 'reportsContradicting') statements(this.#orm).contradict.run({ ...record, arrivedAt: this.#now })
    if (judgement !== 'reportsAccepted') return judgement
    const isFinal = status > 1
    const finalSeq = isFinal ? this.#numbers.next(this.#orm, this.#now) : null
    if (finalSeq !== null) this.#finals.push({ ...record, seq: finalSeq })
    const reported = reportedState(report, finalSeq, this.#now)
    changeMessage(this.#orm, stored, reported)
    this.messages.get(rrid)?.change(mobile, reported)
    this.#tally.move(stored.status, status)
    this.changed.add(rrid)
    if (isFinal) this.advanced.set(stored.batchId, rrid)
    return judgement
  }

  #find(name: MessageName): StoredMessage | undefined {
    if ('messageId' in name) return findMessageById(this.#orm, name.messageId)
    const { rrid, mobile } = name
    if (this.#counts.get(rrid) === 1) return findNamedMessage(this.#orm, rrid, mobile)
    const batchId = this.#batchOf(rrid)
    if (batchId === undefined) return undefined
    const messages = this.#messagesOf(batchId, rrid)
    return messages === undefined ? findMessage(this.#orm, batchId, rrid, mobile) : messages.find(mobile)
  }

  #batchOf(rrid: string): number | undefined {
    if (!this.#batches.has(rrid)) this.#batches.set(rrid, findBatch(this.#orm, rrid))
    return this.#batches.get(rrid)
  }

  #messagesOf(batchId: number, rrid: string): BatchMessages | undefined {
    if (!this.messages.has(rrid)) {
      this.messages.set(rrid, BatchMessages.read(this.#orm, batchId, rrid, this.#counts.get(rrid) ?? 0))
    }
    return this.messages.get(rrid)
  }
}
