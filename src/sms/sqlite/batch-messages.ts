import { asc, eq, max } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { StatusRecord } from '../format/record-text.ts'
import { MAX_TEXT_MESSAGES } from '../model/batch-text-size.ts'
import type { MessageState, StoredMessage } from '../model/message-state.ts'
import type { State } from '../model/report.ts'
import { message } from './schema.ts'
import { bound, direct, perConnection } from './tables.ts'

/** Fewest reports of a batch for which all its messages are read. */
const FEWEST_REPORTS = 8
/** A message takes about so much longer to find than to read with all others. */
const FOUND_BY_READ = 4

type LastRow = [position: number | null]
type MessageRow = [
  position: number,
  mobile: string,
  status: State,
  code: string,
  receivedAt: number | null,
  messageId: string | null,
]

const statements = perConnection((orm) => ({
  last: direct<LastRow>(
    orm,
    orm
      .select({ position: max(message.position) })
      .from(message)
      .where(eq(message.batchId, bound('batchId'))),
  ),
  messages: direct<MessageRow>(
    orm,
    orm
      .select({
        position: message.position,
        mobile: message.mobile,
        status: message.status,
        code: message.code,
        receivedAt: message.receivedAt,
        messageId: message.messageId,
      })
      .from(message)
      .where(eq(message.batchId, bound('batchId')))
      .orderBy(asc(message.position)),
  ),
}))

type HeldMessage = StoredMessage & StatusRecord

/** All messages of one batch in memory, as a transaction leaves them: for reports about most of them. */
export class BatchMessages {
  /** By telephone number, in the order of submission. */
  readonly #messages: Map<string, HeldMessage>

  private constructor(messages: readonly HeldMessage[]) {
    this.#messages = new Map(messages.map((each) => [each.mobile, each]))
  }

  /**
   * Reads the messages of a batch.
   * @param reports how many reports there are about it
   * @returns `undefined` where to find each message is faster, and for a batch that is too long to be read in one step
   */
  static read(orm: BunSQLiteDatabase, batchId: number, rrid: string, reports: number): BatchMessages | undefined {
    if (reports < FEWEST_REPORTS) return undefined
    const { last, messages } = statements(orm)
    const [[position] = [null]] = last.values({ batchId })
    if (position === null || position >= MAX_TEXT_MESSAGES || position >= reports * FOUND_BY_READ) return undefined
    const rows = messages.values({ batchId })
    return new BatchMessages(
      rows.map(([position, mobile, status, code, receivedAt, messageId]) => {
        return { batchId, position, rrid, mobile, status, code, receivedAt, messageId }
      }),
    )
  }

  find(mobile: string): StoredMessage | undefined {
    return this.#messages.get(mobile)
  }

  /** A message of the batch has another state. */
  change(mobile: string, { status, code, receivedAt }: MessageState): void {
    const held = this.#messages.get(mobile)
    if (held !== undefined) this.#messages.set(mobile, { ...held, status, code, receivedAt })
  }

  /** In the order of submission. */
  inOrder(): readonly HeldMessage[] {
    return [...this.#messages.values()]
  }
}
