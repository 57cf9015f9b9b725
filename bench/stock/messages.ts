/** Text messages as other software has sent them, in batches of 100; the same in every run but for their times. */
import { Database as Client } from 'bun:sqlite'
import { openTree } from '../../src/open-tree.ts'
import { BatchFormat } from '../../src/sms/format/batch-format.ts'
import { ReceiveTime } from '../../src/sms/format/receive-time.ts'
import { defaultMessages } from '../../src/sms/messages.ts'
import { seqOf } from '../../src/sms/model/final-seq.ts'
import type { State } from '../../src/sms/model/report.ts'
import { databaseFile } from './blogs.ts'

/** Messages of a batch. */
export const BATCH = 100

/** Most that a batch query hands over. */
export const HANDED_OVER = 10_000

/** What became of a message. */
interface Fate {
  readonly status: State
  readonly code: string
}

/** How the messages of a file came to be. */
interface Story {
  /** @param position of the message within its batch */
  fateOf(batch: number, position: number): Fate
  /** Time over which the batches were submitted, up to a little while ago. */
  readonly spanMs: number
  /** Whether a client has been given the final states. */
  readonly isHandedOver: boolean
}

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
/** From the last batch to now. */
const SINCE_MS = 5 * 60 * 1000
/** From the submission to the report. */
const REPORTED_MS = 5000
/** Younger final states have a row for the batch query; the service keeps them for two days. */
const FINALS_KEPT_MS = 47 * HOUR_MS
/** Batches a client is given at once. */
const HANDED_OVER_TOGETHER = 100
/** Coprime to every number of batches. */
const STRIDE = 7919
/** Batches written in one transaction. */
const STRETCH = 1000

/** As the server of the benchmarks writes answers. */
const FORMAT = new BatchFormat(new ReceiveTime(defaultMessages.timeZone))

const NOT_SENT: Fate = { status: 0, code: '' }
const SENDING: Fate = { status: 1, code: 'ACCEPTD' }
const DELIVERED: Fate = { status: 2, code: 'DELIVRD' }
const FAILED: Fate = { status: 3, code: 'MY:0002' }

const archive: Story = { fateOf, spanMs: 60 * DAY_MS, isHandedOver: true }
const waiting: Story = { fateOf: (_, position) => finalFateOf(position), spanMs: HOUR_MS, isHandedOver: false }
const unreported: Story = { fateOf: () => NOT_SENT, spanMs: HOUR_MS, isHandedOver: false }

/** Of a hundred 8 failed and all others are delivered; in every second batch 3 are on their way and one is not sent. */
function fateOf(batch: number, position: number): Fate {
  if (isMoving(batch) && position % 25 === 24) return position === BATCH - 1 ? NOT_SENT : SENDING
  return finalFateOf(position)
}

/** Whether a batch of the archive has messages without a final state. */
function isMoving(batch: number): boolean {
  return batch % 2 === 1
}

function finalFateOf(position: number): Fate {
  return position % 12 === 5 ? FAILED : DELIVERED
}

/** As the service makes them: the time, then what looks like chance. */
export function rridOf(batch: number): string {
  const [first, stride, chance] = [1_700_000_000_000, 71_993_311, 2 ** 28]
  const digits = (value: number, count: number) => value.toString(16).padStart(count, '0')
  return digits(first + batch, 11) + digits((batch * stride) % chance, 7)
}

export function mobileOf(batch: number, position: number): string {
  return String(13_000_000_000 + batch * BATCH + position)
}

export function mobilesOf(batch: number): string[] {
  return Array.from({ length: BATCH }, (_, position) => mobileOf(batch, position))
}

/** Every batch of so many messages once whose messages are all final, or every other one, in a scattered order. */
export function scatteredBatches(messages: number, moving: boolean): number[] {
  const batches = messages / BATCH
  const all = Array.from({ length: batches }, (_, index) => (index * STRIDE) % batches)
  return all.filter((batch) => isMoving(batch) === moving)
}

/** What the query for a batch answers, but for the times. */
export function batchAnswer(batch: number): string {
  return answerOf(Array.from({ length: BATCH }, (_, position) => record(batch, position, fateOf(batch, position))))
}

/** What a batch query answers that hands over so many, but for the times. */
export function handoverAnswer(count: number): string {
  return answerOf(
    Array.from({ length: count }, (_, index) => {
      const position = index % BATCH
      return record(Math.floor(index / BATCH), position, finalFateOf(position))
    }),
  )
}

function answerOf(data: readonly object[]): string {
  return JSON.stringify({ status: 'ok', data })
}

function record(batch: number, position: number, { status, code }: Fate): object {
  const receiveTime = status < 2 ? '' : '2026-01-01 12:00:00'
  return { status, mobile: mobileOf(batch, position), receiveTime, rrid: rridOf(batch), deliveryStatus: code }
}

/** Messages of the last 60 days. Whoever waits for their final states has them. @param count a multiple of 100 */
export function buildMessages(dataDir: string, count: number): Promise<void> {
  return build(dataDir, count, archive)
}

/** Messages with final states of the last hour that nobody has been given. @param count a multiple of 100 */
export function buildWaiting(dataDir: string, count: number): Promise<void> {
  return build(dataDir, count, waiting)
}

/** Messages that no report has come about. @param count a multiple of 100 */
export function buildUnreported(dataDir: string, count: number): Promise<void> {
  return build(dataDir, count, unreported)
}

async function build(dataDir: string, count: number, story: Story): Promise<void> {
  const file = databaseFile(dataDir)
  await openTree({ file }).close()
  using writer = new StockWriter(file, story)
  writer.write(count / BATCH)
}

/** Writes rows as the service would have, past its pipeline. */
class StockWriter implements Disposable {
  readonly #client: Client
  readonly #story: Story
  readonly #now = Date.now()
  readonly #addBatch
  readonly #addMessage
  readonly #addFinal
  readonly #addHandover
  readonly #addText
  readonly #addCount
  #nextHandover = 0

  constructor(file: string, story: Story) {
    this.#client = new Client(file)
    this.#client.run('PRAGMA synchronous = OFF')
    this.#story = story
    const insert = (table: string, columns: string) =>
      this.#client.prepare(`INSERT INTO ${table}(${columns}) VALUES (${columns.replaceAll(/\w+/g, '?')})`)
    this.#addBatch = insert('sms_batch', 'id, rrid, submitted_at')
    const reported = 'received_at, produced_at, final_seq'
    this.#addMessage = insert('sms_message', `batch_id, position, mobile, status, code, ${reported}`)
    this.#addFinal = insert('sms_final', 'seq, rrid, mobile, status, code, received_at')
    this.#addHandover = insert('sms_handover', 'first_seq, last_seq, returned_at')
    this.#addText = insert('sms_text', 'batch_id, version, text')
    this.#addCount = insert('sms_count', 'name, value')
  }

  write(batches: number): void {
    for (let first = 0; first < batches; first += STRETCH) {
      const end = Math.min(first + STRETCH, batches)
      this.#client.transaction(() => {
        for (let batch = first; batch < end; batch++) this.#writeBatch(batch, batches)
      })()
    }
    this.#writeCounts(batches)
  }

  #writeBatch(batch: number, batches: number): void {
    const { spanMs } = this.#story
    const submittedAt = Math.floor(this.#now - SINCE_MS - ((batches - batch) / batches) * spanMs)
    // The service counts batches from one.
    const batchId = batch + 1
    this.#addBatch.run(batchId, rridOf(batch), submittedAt)
    for (let position = 0; position < BATCH; position++) {
      this.#writeMessage(batch, position, submittedAt + REPORTED_MS)
    }
    this.#writeText(batch, submittedAt + REPORTED_MS)
    if (this.#story.isHandedOver && (batchId % HANDED_OVER_TOGETHER === 0 || batchId === batches)) {
      this.#writeHandover(submittedAt + REPORTED_MS)
    }
  }

  #writeMessage(batch: number, position: number, reportedAt: number): void {
    const { status, code } = this.#story.fateOf(batch, position)
    const mobile = mobileOf(batch, position)
    const seq = seqOf(reportedAt) + position
    const received = status === 0 ? null : reportedAt
    const [produced, final] = status < 2 ? [null, null] : [reportedAt, seq]
    this.#addMessage.run(batch + 1, position, mobile, status, code, received, produced, final)
    if (status < 2) return
    if (reportedAt > this.#now - FINALS_KEPT_MS) {
      this.#addFinal.run(seq, rridOf(batch), mobile, status, code, reportedAt)
    }
  }

  /** The text of a batch whose messages are all final. */
  #writeText(batch: number, receivedAt: number): void {
    const fates = Array.from({ length: BATCH }, (_, position) => this.#story.fateOf(batch, position))
    if (fates.some(({ status }) => status < 2)) return
    const rrid = rridOf(batch)
    const records = fates.map((fate, position) =>
      FORMAT.record({ ...fate, mobile: mobileOf(batch, position), rrid, receivedAt }),
    )
    this.#addText.run(batch + 1, FORMAT.version, FORMAT.batch(records))
  }

  /** From the end of the one before to the last message of a batch. */
  #writeHandover(reportedAt: number): void {
    const last = seqOf(reportedAt) + BATCH - 1
    this.#addHandover.run(this.#nextHandover, last, reportedAt + 1)
    this.#nextHandover = last + 1
  }

  #writeCounts(batches: number): void {
    const names = ['notSent', 'sending', 'delivered', 'failed']
    const counts = names.map(() => 0)
    for (let batch = 0; batch < batches; batch++) {
      for (let position = 0; position < BATCH; position++) {
        const { status } = this.#story.fateOf(batch, position)
        counts[status] = (counts[status] ?? 0) + 1
      }
    }
    for (const [index, name] of names.entries()) this.#addCount.run(name, counts[index] ?? 0)
  }

  [Symbol.dispose](): void {
    // The file is copied without its log.
    this.#client.run('PRAGMA wal_checkpoint(TRUNCATE)')
    this.#client.close()
  }
}
