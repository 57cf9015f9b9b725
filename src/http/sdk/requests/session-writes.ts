import type { Access } from '../../../database/access/access.ts'
import type { Database } from '../../../database/database.ts'
import { WriteOrder } from '../../../database/writes/order/write-order.ts'
import type { WriteOutcome } from '../../../database/writes/write-request.ts'
import type { Awaitable } from '../../../scheduling/awaitable.ts'
import type { Path } from '../../../tree/path.ts'
import { type Answer, OK } from '../session/messages.ts'
import { dataOf, pathOf, type RequestMessage } from '../session/parse-message.ts'
import { Contention, type Outcome } from './contention.ts'
import { type PendingWrite, PendingWrites } from './pending-writes.ts'

/**
 * Longest message of a write that shares a commit with others of its session, in UTF-16 code units. A longer one waits
 * for them, and those behind it wait for it.
 */
const LONGEST_SHARED = 16 * 1024

const STALE: Answer = { status: 'datastale', data: '"Transaction hash does not match"' }

/** What writes need of their session. */
interface WritingSession {
  /** The caller of a request. @throws when the credential is no longer valid, now or later */
  access(): Awaitable<Access>
  /** @returns resolves when all listens have sent what has been committed at the path; `undefined` if they have */
  reported(path: Path): Promise<unknown> | undefined
  /** The answer to a request that failed. */
  failed(error: unknown): Answer
  answer(request: number, answer: Answer): void
  /** Sends what `work` sends in as few packets as there may be. */
  together(work: () => void): void
}

/** A write of a client. */
interface SentWrite {
  readonly request: number
  /** Of its message, in UTF-16 code units. */
  readonly length: number
  readonly isMerge: boolean
  readonly path: Path
  readonly data: unknown
  readonly ifHash: string | undefined
}

/**
 * Carries out the sets and merges of one session. Consecutive ones are queued without waiting for each other, so they
 * share commits; they take effect, and are answered, in the order in which they arrive.
 * @see docs/reference/sdk-protocol.md#order
 */
export class SessionWrites {
  readonly #database: Database
  readonly #session: WritingSession
  readonly #contention: Contention
  readonly #order = new WriteOrder()
  readonly #pending: PendingWrites
  #hasLeft = false

  constructor(database: Database, session: WritingSession) {
    this.#database = database
    this.#session = session
    this.#contention = Contention.of(database)
    this.#pending = new PendingWrites(session)
  }

  /** Length of the messages of the writes that are under way, in UTF-16 code units. */
  get length(): number {
    return this.#pending.length
  }

  /** Resolves when all writes are answered; `undefined` if they are. */
  get ended(): Promise<void> | undefined {
    return this.#pending.ended
  }

  /**
   * Takes a set or a merge. It is answered later.
   * @param length of its message, in UTF-16 code units
   * @returns resolves when the next request may be carried out; `undefined` if it may be at once
   */
  take({ number: request, action, body }: RequestMessage, length: number): Promise<void> | undefined {
    try {
      const ifHash = action === 'p' && typeof body['h'] === 'string' ? body['h'] : undefined
      const write = { request, length, isMerge: action === 'm', path: pathOf(body), data: dataOf(body), ifHash }
      if (length > LONGEST_SHARED) return this.#takeAlone(write)
      const access = this.#session.access()
      const turn = ifHash === undefined ? undefined : this.#enter(write.path)
      if (turn !== undefined || access instanceof Promise) return this.#takeLater(write, access, turn)
      return this.#queue(write, access, this.#order)
    } catch (error) {
      this.#refuse({ request, length }, error)
      return this.#pending.room
    }
  }

  /** The client has left: what it has sent waits for no other client. */
  close(): void {
    this.#hasLeft = true
    this.#contention.forget(this)
  }

  #enter(path: Path): Promise<void> | undefined {
    return this.#hasLeft ? undefined : this.#contention.enter(this, path)
  }

  #left(path: Path, outcome: Outcome): void {
    if (!this.#hasLeft) this.#contention.left(this, path, outcome)
  }

  async #takeLater(write: SentWrite, access: Awaitable<Access>, turn: Promise<void> | undefined): Promise<void> {
    try {
      const known = await access
      await turn
      await this.#queue(write, known, this.#order)
    } catch (error) {
      this.#refuse(write, error)
    }
  }

  async #takeAlone(write: SentWrite): Promise<void> {
    await this.#pending.ended
    try {
      const access = await this.#session.access()
      if (write.ifHash !== undefined) await this.#enter(write.path)
      await this.#queue(write, access, undefined)
    } catch (error) {
      this.#refuse(write, error)
    }
    await this.#pending.ended
  }

  /** @returns resolves when it is queued, and there is room for another one */
  #queue(write: SentWrite, access: Access, order: WriteOrder | undefined): Promise<void> | undefined {
    const { path, data, ifHash, isMerge } = write
    const pending = this.#pending.add(write.request, write.length)
    let isQueued = false
    let queued: PromiseWithResolvers<void> | undefined
    const onPlanned = () => {
      isQueued = true
      queued?.resolve()
    }
    const options = { as: access.as, keys: access.keys, ifHash, order, onPlanned }
    try {
      const done = isMerge ? this.#database.patch(path, data, options) : this.#database.put(path, data, options)
      const settled = done.then(
        (outcome) => this.#written(write, pending, outcome),
        (error: unknown) => this.#failed(write, pending, error),
      )
      if (!isQueued) {
        // It is queued in the same turn in which it is planned.
        queued = Promise.withResolvers()
        return Promise.race([queued.promise, settled]).then(() => this.#pending.room)
      }
    } catch (error) {
      this.#failed(write, pending, error)
    }
    return this.#pending.room
  }

  #written({ path, ifHash }: SentWrite, pending: PendingWrite, { kind }: WriteOutcome): void {
    if (ifHash !== undefined) this.#left(path, kind === 'written' ? 'won' : 'lost')
    const answer = kind === 'written' ? OK : STALE
    const reported = this.#session.reported(path)
    if (reported === undefined) this.#pending.answered(pending, answer)
    else void reported.then(() => this.#pending.answered(pending, answer))
  }

  #failed({ path, ifHash }: SentWrite, pending: PendingWrite, error: unknown): void {
    if (ifHash !== undefined) this.#left(path, 'void')
    this.#pending.answered(pending, this.#session.failed(error))
  }

  /** Answers a write that is not queued, behind all earlier ones. */
  #refuse({ request, length }: Pick<SentWrite, 'request' | 'length'>, error: unknown): void {
    this.#pending.answered(this.#pending.add(request, length), this.#session.failed(error))
  }
}
