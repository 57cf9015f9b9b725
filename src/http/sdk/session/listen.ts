import type { Access } from '../../../database/access/access.ts'
import type { Listening } from '../../../database/streams/listening.ts'
import type { EventBatch, NumberedEvent } from '../../../hub/event-batch.ts'
import type { MailboxBound, ReserveMemory } from '../../../hub/mailbox.ts'
import type { EndReason, Sink } from '../../../hub/sink.ts'
import { inTurns } from '../../../scheduling/turns.ts'
import { textHasHash } from '../../../tree/hash/simple-hash.ts'
import { joined } from '../../../tree/json/text-pieces.ts'
import { formatPath, type Path } from '../../../tree/path.ts'
import type { OpenStreams, StreamFacts } from '../../streams/open-streams.ts'
import { listText, pushHead, pushTail } from './messages.ts'

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

/** What a client listens to. */
export interface Listened {
  readonly path: Path
  /** Number that the client knows the listen by; `undefined` for everything at the path. */
  readonly tag: number | undefined
  /** Whether a query chooses some of the children. */
  readonly isFiltered: boolean
  /** The query as the client has sent it. */
  readonly sentQuery: unknown
  /** Hash of what the client has; empty when it has nothing. */
  readonly hash: string
}

/** Resolves when the events of a commit were sent. */
interface Waiter {
  readonly seq: number
  readonly resolve: () => void
}

/** A message of a batch, made once for all connections that listen to the same. */
interface SharedMessage {
  /** Without its end, where the tag of a listen stands. */
  readonly head: string
  /** For listens without a tag. */
  readonly untagged: string
}

const messages = new WeakMap<EventBatch, readonly SharedMessage[]>()

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
  readonly #tail: string
  #listening: Listening | undefined
  #waiters: Waiter[] = []
  /** Number of the last commit whose events were sent. */
  #reported = -1
  #hasBegun = false
  #isOver = false
  /** Wakes the one that waits for the beginning. */
  #awaitsBegin: (() => void) | undefined

  constructor(listened: Listened, connection: ListeningConnection) {
    this.listened = listened
    this.reserve = connection.reserve
    this.bound = connection.bound
    this.#connection = connection
    this.#tail = pushTail(listened.tag)
  }

  /** The stream is open. */
  opened(listening: Listening): void {
    this.#listening = listening
    if (this.#isOver) listening.close()
    else this.#number = this.#connection.streams.add(this)
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

  /** Resolves when the first event was sent, or no more events are sent. May be asked for once. */
  get begun(): Promise<void> | undefined {
    if (this.#isOver || this.#reported >= 0) return undefined
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
    if (this.#waiters.at(-1)?.seq !== seq) void this.#listening?.mark(seq)
    if (this.#hasReported(seq)) return undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiters.push({ seq, resolve })
    return promise
  }

  #hasReported(seq: number): boolean {
    return this.#isOver || this.#reported >= seq || this.#listening === undefined
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
    const isFirst = !this.#hasBegun
    this.#hasBegun = true
    const { hash } = this.listened
    if (!isFirst || hash === '') return this.#send(batch)
    return this.#sendUnlessKnown(batch, hash)
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
    const isKnown = first !== undefined && (await inTurns(textHasHash(this.#dataOf(first), hash)))
    if (this.#isOver) return undefined
    if (!isKnown) return this.#send(batch)
    this.#reportedUpTo(batch)
    return undefined
  }

  #send(batch: EventBatch): Promise<void> | undefined {
    let room: Promise<void> | undefined
    const isTagged = this.listened.tag !== undefined
    for (const { head, untagged } of this.#messagesOf(batch)) {
      const text = isTagged ? head + this.#tail : untagged
      this.bytesSent += text.length
      room = this.#connection.push(text)
    }
    this.#reportedUpTo(batch)
    return room
  }

  #reportedUpTo({ events }: EventBatch): void {
    for (const { seq } of events) this.#reported = Math.max(this.#reported, seq)
    this.#begin()
    if (this.#waiters.length > 0) this.#wake(this.#reported)
  }

  #begin(): void {
    this.#awaitsBegin?.()
    this.#awaitsBegin = undefined
  }

  #wake(seq: number): void {
    const waiters = this.#waiters
    this.#waiters = waiters.filter((waiter) => waiter.seq > seq)
    for (const waiter of waiters) if (waiter.seq <= seq) waiter.resolve()
  }

  #stop(): void {
    this.#isOver = true
    this.#connection.streams.delete(this.#number)
    this.#begin()
    this.#wake(Number.POSITIVE_INFINITY)
  }

  #messagesOf(batch: EventBatch): readonly SharedMessage[] {
    const known = messages.get(batch)
    if (known !== undefined) return known
    const made = batch.events
      .filter(({ kind }) => kind !== 'mark')
      .map((event) => {
        const head = this.#headOf(event)
        return { head, untagged: head + pushTail(undefined) }
      })
    messages.set(batch, made)
    return made
  }

  #headOf(event: NumberedEvent): string {
    const list = formatPath(this.listened.path)
    const path = event.path === '/' ? list : list === '/' ? event.path : list + event.path
    return pushHead(event.kind === 'put' ? 'd' : 'm', path) + this.#dataOf(event)
  }

  #dataOf({ path, data }: NumberedEvent): string {
    const text = joined(data)
    if (!this.listened.isFiltered || path !== '/') return text
    return listText(text)
  }
}
