import type { BatchFormat } from '../format/batch-format.ts'
import type { StatusRecord } from '../format/record-text.ts'
import type { ReportOutcome } from '../message-store.ts'
import { type CountName, Tally } from '../model/counts.ts'
import { judgeReport, type MessageState, reportedState } from '../model/message-state.ts'
import type { Report } from '../model/report.ts'
import { storeBatchTexts } from './batch-texts.ts'
import { addToCounts } from './counts.ts'
import { FinalStates } from './final-states.ts'
import { findMessages, storeMessages, type WorkingMessage } from './message-rows.ts'
import { encodeKey } from './stored-text.ts'
import type { Transaction } from './tables.ts'

/** Reports applied with one round of statements. */
const STEP = 500

const CONTRADICT =
  'INSERT INTO sms_contradiction (tree, rrid, mobile, status, code, received_at, arrived_at) ' +
  'SELECT $1::int, s.*, $7::bigint FROM unnest($2::text[], $3::text[], $4::smallint[], $5::text[], $6::bigint[]) AS s ' +
  'ON CONFLICT DO NOTHING'

/** Applies reports in their order. @see docs/reference/protocol.md#states */
export async function applyReports(
  transaction: Transaction,
  tree: number,
  reports: readonly Report[],
  format: BatchFormat,
): Promise<ReportOutcome> {
  const { statements, now } = transaction
  const finals = await FinalStates.open(statements, tree, now)
  const application = new ReportApplication(transaction, tree, finals)
  let accepted = 0
  for (let from = 0; from < reports.length; from += STEP) {
    accepted += await application.apply(reports.slice(from, from + STEP))
  }
  await storeBatchTexts(statements, tree, application.advanced, format)
  await application.end()
  return { accepted, ignored: reports.length - accepted, changed: application.changed }
}

/** The reports of one transaction. */
class ReportApplication {
  readonly #transaction: Transaction
  readonly #tree: number
  readonly #finals: FinalStates
  readonly #tally = new Tally()
  /** Batches of which a message has changed. */
  readonly changed = new Set<string>()
  /** Those of which a message has become final: rrids by id. */
  readonly advanced = new Map<number, string>()
  /** What the step that runs has to write: the last state of each message, and contradictions. */
  readonly #states = new Map<WorkingMessage, MessageState>()
  readonly #contradictions: StatusRecord[] = []

  constructor(transaction: Transaction, tree: number, finals: FinalStates) {
    this.#transaction = transaction
    this.#tree = tree
    this.#finals = finals
  }

  end(): Promise<void> {
    return addToCounts(this.#transaction.statements, this.#tree, this.#tally)
  }

  /** Applies some reports. @returns how many are accepted */
  async apply(reports: readonly Report[]): Promise<number> {
    const { statements } = this.#transaction
    const messages = await findMessages(
      statements,
      this.#tree,
      reports.map(({ message }) => message),
    )
    let accepted = 0
    for (const [at, report] of reports.entries()) {
      const message = messages[at]
      const outcome = message === undefined ? 'reportsUnknown' : this.#change(message, report)
      this.#tally.add(outcome)
      if (outcome === 'reportsAccepted' || outcome === 'reportsRepeated') accepted++
    }
    await this.#write()
    return accepted
  }

  #change(message: WorkingMessage, report: Report): CountName {
    const judgement = judgeReport(message, report)
    const { rrid, mobile } = message
    const { state: status, code, receivedAt } = report
    const record = { rrid, mobile, status, code, receivedAt }
    if (judgement === 'reportsContradicting') this.#contradictions.push(record)
    if (judgement !== 'reportsAccepted') return judgement
    const isFinal = status > 1
    const finalSeq = isFinal ? this.#finals.add(record) : null
    this.#states.set(message, reportedState(report, finalSeq, this.#transaction.now))
    this.#tally.move(message.status, status)
    message.status = status
    message.code = code
    this.changed.add(rrid)
    if (isFinal) this.advanced.set(message.batchId, rrid)
    return judgement
  }

  async #write(): Promise<void> {
    const { statements } = this.#transaction
    const changed = [...this.#states].map(([message, state]) => ({ message, state }))
    this.#states.clear()
    await Promise.all([
      storeMessages(statements, this.#tree, changed),
      this.#finals.write(statements),
      this.#writeContradictions(),
    ])
  }

  async #writeContradictions(): Promise<void> {
    const rows = this.#contradictions.splice(0)
    if (rows.length === 0) return
    await this.#transaction.statements.query(CONTRADICT, [
      this.#tree,
      rows.map(({ rrid }) => encodeKey('rrid', rrid)),
      rows.map(({ mobile }) => encodeKey('mobile', mobile)),
      rows.map(({ status }) => status),
      rows.map(({ code }) => encodeKey('code', code)),
      rows.map(({ receivedAt }) => receivedAt),
      this.#transaction.now,
    ])
  }
}
