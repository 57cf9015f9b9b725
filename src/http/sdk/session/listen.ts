import type { Access } from '../../../database/access/access.ts'
import type { Listening } from '../../../database/streams/listening.ts'
import type { EventBatch } from '../../../hub/event-batch.ts'
import type { MailboxBound, ReserveMemory } from '../../../hub/mailbox.ts'
import type { EndReason, Sink } from '../../../hub/sink.ts'
import { inTurns } from '../../../scheduling/turns.ts'
import { textHasHash } from '../../../tree/hash/simple-hash.ts'
import { formatPath } from '../../../tree/path.ts'
import type { OpenStreams, StreamFacts } from '../../streams/open-streams.ts'
import { CommitWaiters } from './commit-waiters.ts'
import { dataOf, type Listened, messageEncoder } from './listen-messages.ts'
import { pushTail } from './messages.ts'

/** The list of open streams. */
export type ListedListens = Pick<OpenStreams, 'add' | 'delete'>

/** The connection that a listen belongs to. */
export interface ListeningConnection {
  readonly reserve: ReserveMemory
  readonly bound: MailboxBound
  /** @returns a promise if there is no room for more, which resolves when there is */
  push(text: string): Promise<void> | undefined
  /** The listen has ended, and not because the client wanted so. */
  lost(listen: Listen, reason: EndReason | undefined): void
  /** Aborts the connection. */
  abort(): void
  /** Where open streams are listed. */
  readonly streams: ListedListens
  readonly applicationId: string
  readonly address: string | undefined
  /** `auth.uid` of the caller. */
  readonly uid: string | undefined
}

/** The listens of the same connection. */
interface ListenKeeper {
  /** A listen has sent its beginning for the first time. */
  begun(listen: Listen): void
  /** Whether others below a listen have begun. */
  hasBegunBelow(listen: Listen): boolean
}

const BYTES_PER_UNIT = 2

/** One listen of a connection. */
export class Listen implements Sink, StreamFacts {
  readonly since = Date.now()
  bytesSent = 0
  /** Number in the list of open streams. */
  #number = 0
  readonly listened: Listened
  readonly reserve: ReserveMemory
  readonly bound: MailboxBound
  readonly #connection: ListeningConnection
  readonly #keeper: ListenKeeper
  /** End of its messages; `undefined` where the listen has no tag. */
  readonly #tail: string | undefined
  #listening: Listening | undefined
  /** Made by the first that waits. */
  #waiters: CommitWaiters | undefined
  /** Number of the last commit whose events were sent, by this listen or by one that covers it. */
  #reported = -1
  /** Number of the last commit whose events were left to the listen that covers this one. */
  #left = -1
  #cover: Listen | undefined
  /** Number of batches with messages, and the same of the cover when this listen sent its last one. */
  #sends = 0
  #coverSends: number | undefined
  /** Whether the stream must begin again once it is open. */
  #mustBeginAgain = false
  #isOver = false
  /** Wakes the one that waits for the beginning. */
  #awaitsBegin: (() => void) | undefined

  constructor(listened: Listened, connection: ListeningConnection, keeper: ListenKeeper) {
    this.listened = listened
    this.reserve = connection.reserve
    this.bound = connection.bound
    this.#connection = connection
    this.#keeper = keeper
    this.#tail = listened.tag === undefined ? undefined : pushTail(listened.tag)
  }

  /** The stream is open. */
  opened(listening: Listening): void {
    this.#listening = listening
    if (this.#isOver) {
      listening.close()
      return
    }
    this.#number = this.#connection.streams.add(this)
    if (this.#mustBeginAgain) listening.beginAgain()
  }

  get applicationId(): string {
    return this.#connection.applicationId
  }

  get path(): string {
    return formatPath(this.listened.path)
  }

  get query(): string | undefined {
    const { sentQuery } = this.listened
    return sentQuery === undefined ? undefined : JSON.stringify(sentQuery)
  }

  get address(): string | undefined {
    return this.#connection.address
  }

  get uid(): string | undefined {
    return this.#connection.uid
  }

  get waitingBytes(): number {
    return (this.#listening?.waitingLength ?? 0) * BYTES_PER_UNIT
  }

  /** Whether it has sent its beginning. */
  get isBegun(): boolean {
    return this.#reported >= 0
  }

  /** Number of the last commit whose events were sent. */
  get lastSent(): number {
    return this.#reported
  }

  /** Number of batches with messages that were sent. */
  get sends(): number {
    return this.#sends
  }

  /** The default listen above that sends the changes in place of this one. */
  get cover(): Listen | undefined {
    return this.#cover
  }

  /** @param cover has begun, and sends the changes from now on; `undefined` if this listen sends them itself */
  coverWith(cover: Listen | undefined): void {
    this.#cover = cover
    this.#coverSends = undefined
  }

  /**
   * The cover has ended: another one sends the changes, or this listen itself. It begins anew where the cover has not sent
   * what was left to it, or has sent older data than this listen.
   */
  uncover(next: Listen | undefined): void {
    const sent = this.#cover?.lastSent ?? -1
    const isOlder = this.#reported > sent && this.#cover?.sends !== this.#coverSends
    this.coverWith(next)
    if (next === undefined && (this.#left > sent || isOlder)) this.beginAgain()
    if (this.isBegun) this.#reported = Math.max(this.#reported, sent)
  }

  /** Sends the present data in place of the events that wait. */
  beginAgain(): void {
    if (this.#isOver) return
    if (this.#listening === undefined) this.#mustBeginAgain = true
    else this.#listening.beginAgain()
  }

  /** Resolves when the first event was sent, or no more events are sent. May be asked for once. */
  get begun(): Promise<void> | undefined {
    if (this.#isOver || this.isBegun) return undefined
    return new Promise((resolve) => {
      this.#awaitsBegin = resolve
    })
  }

  /**
   * @returns resolves when all events up to a commit were sent, or no more events are sent; `undefined` if that is so
   */
  reported(seq: number): Promise<void> | undefined {
    if (this.#hasReported(seq)) return undefined
    // A mark that is on its way serves others too.
    if (this.#waiters?.last !== seq) void this.#listening?.mark(seq)
    if (this.#hasReported(seq)) return undefined
    this.#waiters ??= new CommitWaiters()
    return this.#waiters.add(seq)
  }

  #hasReported(seq: number): boolean {
    return this.#isOver || Math.max(this.#reported, this.#left) >= seq || this.#listening === undefined
  }

  changeCaller(access: Access): Promise<void> | undefined {
    return this.#listening?.changeCaller(access)
  }

  /** Sends no more events. */
  stop(): void {
    if (!this.#isOver) this.#stop()
  }

  /** As `stop`, and closes the stream. */
  close(): void {
    this.stop()
    this.#listening?.close()
  }

  write(batch: EventBatch): Promise<unknown> | undefined {
    if (this.#isOver) return undefined
    if (this.#isSentByCover(batch)) {
      this.#leave(batch)
      return undefined
    }
    if (this.isBegun) return this.#send(batch)
    const { hash } = this.listened
    return hash === '' ? this.#send(batch) : this.#sendUnlessKnown(batch, hash)
  }

  keepAlive(): void {}

  /** The tree or the operator ends it. */
  end(reason?: EndReason): void {
    if (this.#isOver) return
    this.#stop()
    this.#listening?.close()
    this.#connection.lost(this, reason)
  }

  abort(): void {
    this.#connection.abort()
  }

  async #sendUnlessKnown(batch: EventBatch, hash: string): Promise<unknown> {
    const [first] = batch.events
    const isKnown = first !== undefined && (await inTurns(textHasHash(dataOf(first, this.listened), hash)))
    if (this.#isOver) return undefined
    if (this.#isSentByCover(batch)) this.#leave(batch)
    else if (!isKnown || !this.#isHashCurrent(batch)) return this.#send(batch)
    else {
      this.#coverSends = this.#cover?.sends
      this.#reportedUpTo(batch)
    }
    return undefined
  }

  /** Whether the client still has what it has sent the hash of: other listens may have sent it changes of it since. */
  #isHashCurrent({ seq }: EventBatch): boolean {
    if (this.#cover !== undefined) return this.#cover.reported(seq) === undefined
    return this.listened.tag !== undefined || !this.#keeper.hasBegunBelow(this)
  }

  /** Whether the cover has sent, or will send, what a batch would change. Older data must not follow what it has sent. */
  #isSentByCover({ isBeginning, seq }: EventBatch): boolean {
    const cover = this.#cover
    return cover !== undefined && (!isBeginning || seq < cover.lastSent)
  }

  /** The cover sends what is in a batch. */
  #leave(batch: EventBatch): void {
    if (batch.isBeginning) this.#reportedUpTo(batch)
    else {
      this.#left = Math.max(this.#left, batch.seq)
      this.#waiters?.wake(this.#left)
    }
  }

  #send(batch: EventBatch): Promise<void> | undefined {
    let room: Promise<void> | undefined
    const messages = batch.encoded(messageEncoder, this.listened)
    for (const { head, untagged } of messages) {
      const text = this.#tail === undefined ? untagged : head + this.#tail
      this.bytesSent += text.length
      room = this.#connection.push(text)
    }
    if (messages.length > 0) this.#sends++
    this.#coverSends = this.#cover?.sends
    this.#reportedUpTo(batch)
    return room
  }

  #reportedUpTo({ seq }: EventBatch): void {
    const isFirst = !this.isBegun
    this.#reported = Math.max(this.#reported, seq)
    if (isFirst) this.#keeper.begun(this)
    this.#begin()
    this.#waiters?.wake(this.#reported)
  }

  #begin(): void {
    this.#awaitsBegin?.()
    this.#awaitsBegin = undefined
  }

  #stop(): void {
    this.#isOver = true
    this.#connection.streams.delete(this.#number)
    this.#begin()
    this.#waiters?.wake(Number.POSITIVE_INFINITY)
  }
}
