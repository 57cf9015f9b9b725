import type { BatchFormat } from '../format/batch-format.ts'
import { STATE_COUNTS, Tally } from '../model/counts.ts'
import type { ImportCount, MessageRecord } from '../model/message.ts'
import { importedState, judgeImport, type MessageState } from '../model/message-state.ts'
import { deleteBatchTexts, storeBatchTexts } from './batch-texts.ts'
import { addToCounts } from './counts.ts'
import { FinalStates } from './final-states.ts'
import {
  type ChangedMessage,
  findMessages,
  lockBatches,
  nameMessages,
  storeMessages,
  type WorkingMessage,
} from './message-rows.ts'
import { decodeText, encodeKey } from './stored-text.ts'
import type { Tables, Transaction } from './tables.ts'

/** Messages imported with one round of statements. */
const STEP = 500

const ADD_BATCHES =
  'INSERT INTO sms_batch (tree, id, rrid, submitted_at) SELECT $1::int, s.* ' +
  'FROM unnest($2::bigint[], $3::text[], $4::bigint[]) AS s'
const BATCHES =
  'SELECT b.id::float8 AS id, b.rrid, (SELECT m.position FROM sms_message m WHERE m.tree = $1::int AND m.batch_id = b.id ' +
  'ORDER BY m.position DESC LIMIT 1) AS last FROM unnest($2::text[]) AS s(rrid) CROSS JOIN LATERAL ' +
  '(SELECT b.* FROM sms_batch b WHERE b.tree = $1::int AND b.rrid = s.rrid LIMIT 1) b'

/** A batch of the step that runs. */
interface WorkingBatch {
  readonly id: number
  /** Greatest position of its messages; -1 when it has none. */
  last: number
}

/** Adds messages from elsewhere. A stored message takes a newer state, never an older one. */
export async function importRecords(
  transaction: Transaction,
  { tree, clock }: Pick<Tables, 'tree' | 'clock'>,
  records: readonly MessageRecord[],
  format: BatchFormat,
): Promise<ImportCount> {
  const { statements, now } = transaction
  const importing = new Importing(transaction, tree, await FinalStates.open(statements, tree, now), clock.now)
  for (let from = 0; from < records.length; from += STEP) await importing.add(records.slice(from, from + STEP))
  await storeBatchTexts(statements, tree, importing.batches, format)
  return await importing.end()
}

/** The records of one transaction. */
class Importing {
  readonly #transaction: Transaction
  readonly #tree: number
  readonly #finals: FinalStates
  /** Decides what is too old to be offered. The time of the batch is ahead after the clock was set back. */
  readonly #clock: number
  readonly #tally = new Tally()
  /** Batches of which a message is new or has another state: rrids by id. */
  readonly batches = new Map<number, string>()
  #added = 0
  #known = 0
  #changed = 0

  constructor(transaction: Transaction, tree: number, finals: FinalStates, clock: number) {
    this.#transaction = transaction
    this.#clock = clock
    this.#tree = tree
    this.#finals = finals
  }

  async end(): Promise<ImportCount> {
    await addToCounts(this.#transaction.statements, this.#tree, this.#tally)
    return { added: this.#added, known: this.#known, changed: this.#changed }
  }

  async add(records: readonly MessageRecord[]): Promise<void> {
    const { statements } = this.#transaction
    const batches = await this.#batchesOf(records)
    const found = await findMessages(
      statements,
      this.#tree,
      records.map(({ rrid, mobile }) => ({ rrid, mobile })),
    )
    const step = new ImportStep()
    for (const [at, record] of records.entries()) {
      const batch = batches.get(record.rrid)
      if (batch === undefined) throw new Error('an imported message has no batch')
      const stored = found[at] ?? step.addedOf(record)
      if (stored === undefined) this.#insert(step, batch, record)
      else this.#update(step, stored, record)
    }
    await this.#write(step)
  }

  /** The batches of records by rrid; those that are not there are added. */
  async #batchesOf(records: readonly MessageRecord[]): Promise<ReadonlyMap<string, WorkingBatch>> {
    const { statements, takeIds } = this.#transaction
    const times = new Map<string, number>()
    for (const { rrid, submittedAt } of records) if (!times.has(rrid)) times.set(rrid, submittedAt)
    const rrids = [...times.keys()].map((rrid) => encodeKey('rrid', rrid))
    const locked = lockBatches(statements, this.#tree, rrids)
    const [rows] = await Promise.all([
      statements.query<{ id: number; rrid: string; last: number | null }>(BATCHES, [this.#tree, rrids]),
      locked,
    ])
    const batches = new Map<string, WorkingBatch>(
      rows.map(({ id, rrid, last }) => [decodeText(rrid), { id, last: last ?? -1 }]),
    )
    const missing = [...times].filter(([rrid]) => !batches.has(rrid))
    if (missing.length === 0) return batches
    const first = takeIds(missing.length)
    for (const [at, [rrid]] of missing.entries()) batches.set(rrid, { id: first + at, last: -1 })
    await statements.query(ADD_BATCHES, [
      this.#tree,
      missing.map((_, at) => first + at),
      missing.map(([rrid]) => encodeKey('rrid', rrid)),
      missing.map(([, submittedAt]) => submittedAt),
    ])
    return batches
  }

  #insert(step: ImportStep, batch: WorkingBatch, record: MessageRecord): void {
    const { rrid, mobile, status, deliveryStatus: code, messageId = null } = record
    const position = ++batch.last
    const message = { batchId: batch.id, position, rrid, mobile, messageId, status, code }
    step.insert(message, this.#stateOf(record))
    this.batches.set(batch.id, rrid)
    this.#tally.add(STATE_COUNTS[status])
    this.#added++
  }

  #update(step: ImportStep, stored: WorkingMessage, record: MessageRecord): void {
    const { isNamed, isMoved } = judgeImport(stored, record)
    if (isNamed) step.name(stored, record.messageId ?? null)
    if (isMoved) {
      this.#tally.move(stored.status, record.status)
      step.change(stored, this.#stateOf(record))
      this.batches.set(stored.batchId, stored.rrid)
    }
    if (isNamed || isMoved) this.#changed++
    else this.#known++
  }

  /** A final state that was not returned elsewhere is offered here, unless it is too old. */
  #stateOf(record: MessageRecord): MessageState {
    const { rrid, mobile } = record
    const { state, offered: receivedAt } = importedState(record, this.#clock)
    const { status, code } = state
    const finalSeq = receivedAt === undefined ? null : this.#finals.add({ rrid, mobile, status, code, receivedAt })
    return { ...state, finalSeq }
  }

  async #write(step: ImportStep): Promise<void> {
    const { statements } = this.#transaction
    await Promise.all([
      storeMessages(statements, this.#tree, step.changed),
      nameMessages(statements, this.#tree, step.named),
      deleteBatchTexts(statements, this.#tree, step.grown),
      this.#finals.write(statements),
    ])
  }
}

/** What the records of one step change. */
class ImportStep {
  readonly #added = new Map<string, WorkingMessage>()
  /** The last state of each message that is new or has another one. */
  readonly #states = new Map<WorkingMessage, MessageState>()
  readonly #named = new Set<WorkingMessage>()
  readonly #grown = new Set<number>()

  get changed(): readonly ChangedMessage[] {
    return [...this.#states].map(([message, state]) => ({ message, state }))
  }

  /** Messages that have got an id, and no other state: those are stored with it. */
  get named(): readonly WorkingMessage[] {
    return [...this.#named].filter((message) => !this.#states.has(message))
  }

  /** Batches that may have been final without the messages that are added. */
  get grown(): readonly number[] {
    return [...this.#grown]
  }

  /** The message of a record that an earlier one has added. */
  addedOf(record: MessageRecord): WorkingMessage | undefined {
    return this.#added.get(placeOf(record))
  }

  insert(message: WorkingMessage, state: MessageState): void {
    this.#added.set(placeOf(message), message)
    this.#states.set(message, state)
    if (message.position > 0) this.#grown.add(message.batchId)
  }

  change(message: WorkingMessage, state: MessageState): void {
    this.#states.set(message, state)
    message.status = state.status
    message.code = state.code
  }

  name(message: WorkingMessage, messageId: string | null): void {
    message.messageId = messageId
    this.#named.add(message)
  }
}

function placeOf({ rrid, mobile }: { readonly rrid: string; readonly mobile: string }): string {
  return JSON.stringify([rrid, mobile])
}
