import type { AuthorizeRead } from '../tree/read-program.ts'
import type { EventBatch, WaitingEvents } from './event-batch.ts'
import { Mailbox, type Reservation } from './mailbox.ts'
import { BEGIN_ANEW, type EndReason, NO_ROOM, reasonOf, type Sink } from './sink.ts'

/** Maximum time without reading, as a multiple of the time between two keep-alives. */
const MOST_SILENCES = 4

type State = 'starting' | 'open' | 'full' | 'closed'

/** Bounds of what waits, in UTF-16 code units. */
export interface WaitingSettings {
  /** Maximum that waits for one subscriber. */
  readonly maxWaiting: number
  /** About how much of it is delivered in one turn of the event loop. */
  readonly pieceLength: number
}

/** What a stream begins with, possibly again. */
export interface Beginning {
  /** Number of the last commit that it covers. */
  readonly seq: number
  readonly batch: EventBatch
  /** The rest of a long catch-up. */
  readonly more?: readonly WaitingEvents[]
}

/** Owner of the subscribers of a topic. */
export interface SubscriberKeeper {
  /** Asks for a beginning, which is passed to `start`. */
  begin(subscriber: Subscriber): void
  /** Delivers a mark behind the events of commits up to `seq`. */
  mark(subscriber: Subscriber, seq: number): void
  /** Called once, when the subscriber is closed. */
  closed(subscriber: Subscriber): void
  /** Called each time that waiting events were dropped. */
  lost(): void
}

/**
 * One listener of a topic. What waits for it is bounded: a slow reader loses it and begins anew when there is room,
 * which is correct because a beginning replaces everything.
 *
 * The order of events holds by construction. Only `start` leaves the state `starting`. It writes the beginning first, and
 * of the waiting events only those of later commits. Every loss or refusal leads back to `starting`.
 * @see docs/reference/protocol.md#streams
 */
export class Subscriber {
  readonly #sink: Sink
  readonly #settings: WaitingSettings
  readonly #keeper: SubscriberKeeper
  #state: State = 'starting'
  /** Created when an event has to wait. */
  #mailbox: Mailbox | undefined
  /** Next batch, while others take the turn; the state is `full` until it is delivered. */
  #postponed: EventBatch | undefined
  #lost = false
  /** Whether the beginning that is being read was authorised for a former caller. */
  #isOutdated = false
  #reservation: Reservation | undefined
  /** First turn of the clock after the last write. */
  #silentSince: number | undefined

  constructor(sink: Sink, settings: WaitingSettings, keeper: SubscriberKeeper) {
    this.#sink = sink
    this.#settings = settings
    this.#keeper = keeper
  }

  /** Authorises the listener on the commit that a snapshot is read from. */
  get authorize(): AuthorizeRead | undefined {
    const sink = this.#sink
    return sink.authorize && (() => sink.authorize?.())
  }

  /** Length of the events that wait, in UTF-16 code units. */
  get waitingLength(): number {
    return this.#mailbox?.length ?? 0
  }

  /** Delivers a beginning, then what has waited for it. */
  start({ seq, batch, more = [] }: Beginning): void {
    if (this.#state !== 'starting') return
    if (this.#lost || this.#isOutdated) {
      this.#beginAnew()
      return
    }
    const later = this.#mailbox?.takeLater(seq) ?? []
    this.#state = 'open'
    let hasRoom = true
    if (batch.events.length > 0) hasRoom = this.#write(batch)
    // A client that has missed nothing must still see that the stream is open.
    else this.#sink.keepAlive()
    // The sink may have closed it.
    if (this.#isClosed || (more.length === 0 && later.length === 0)) return
    for (const waiting of [...more, ...later]) this.#wait(waiting)
    if (!hasRoom) return
    if (more.length === 0) this.#deliverWaiting()
    else this.#deliverLater()
  }

  /** Ends the stream because no beginning can be read, unless that was tried for a former caller. */
  fail(error: unknown): void {
    if (this.#state === 'starting' && this.#isOutdated) this.#beginAnew()
    else this.end(reasonOf(error))
  }

  /**
   * Must be called when the caller that `authorize` and the sink decide for has changed. A beginning that is being read
   * is read again. Otherwise the events go on in order: the sink decides each batch.
   */
  callerChanged(): void {
    this.#isOutdated = this.#state === 'starting'
  }

  /** Must be called when events cannot describe what has changed. What waits is dropped, and the stream begins anew. */
  beginAgain(): void {
    if (this.#state === 'open') this.#beginAnew()
    else if (this.#state === 'full') this.#lose()
    // The beginning that is being read may be of an earlier commit.
    else this.#isOutdated = this.#state === 'starting'
  }

  /**
   * Has a mark delivered behind the events of commits up to one, which must have been published. A beginning that covers
   * the commit may take its place.
   */
  mark(seq: number): void {
    if (!this.#isClosed) this.#keeper.mark(this, seq)
  }

  /** Delivers events, in order. */
  deliver(batch: EventBatch): void {
    if (this.#state === 'open') this.#write(batch)
    else this.#keep(batch)
  }

  /**
   * As `deliver`, in a later turn of the event loop.
   * @returns whether `deliverPostponed` must be called then
   */
  postpone(batch: EventBatch): boolean {
    if (this.#state !== 'open') {
      this.#keep(batch)
      return false
    }
    this.#postponed = batch
    this.#state = 'full'
    return true
  }

  /** Delivers the postponed batch, and what waits behind it. */
  deliverPostponed(): void {
    const batch = this.#postponed
    if (batch === undefined) return
    this.#postponed = undefined
    if (this.#lost) {
      this.#beginAnew()
      return
    }
    this.#state = 'open'
    if (this.#write(batch) && (this.#lost || this.#mailbox?.isEmpty === false)) this.#deliverLater()
  }

  /**
   * Reserves memory for what the subscriber shares with others. If there is no room, now or later, the stream ends with
   * `NO_ROOM`.
   * @returns whether there is room
   */
  reserve(what: object, bytes: number): boolean {
    if (this.#reservation !== undefined) this.#reservation.resize(bytes)
    else if (!this.#isClosed) this.#reservation = this.#sink.reserve?.(what, bytes, () => this.end(NO_ROOM))
    // The reservation may have been aborted before it was known here.
    if (this.#isClosed) this.#release()
    return !this.#isClosed
  }

  /** Sets the size of the reserved memory. @returns whether there is a reservation */
  resizeReservation(bytes: number): boolean {
    if (this.#reservation === undefined) return false
    this.#reservation.resize(bytes)
    return true
  }

  /**
   * Keeps a silent stream alive, and aborts one whose client does not read.
   * @param turn of the clock
   * @param silence turns without events after which the client gets a keep-alive
   */
  tick(turn: number, silence: number): void {
    this.#silentSince ??= turn
    const silent = turn - this.#silentSince
    if (this.#state === 'open' && silent >= silence) {
      this.#silentSince = turn
      this.#sink.keepAlive()
    } else if (this.#state === 'full' && silent >= silence * MOST_SILENCES) this.#sink.abort()
  }

  /** Closes the subscriber and ends its sink. */
  end(reason?: EndReason): void {
    if (this.#isClosed) return
    const isStuck = this.#state === 'full'
    this.close()
    this.#sink.end(reason)
    // Unread events would keep the connection open.
    if (isStuck) this.#sink.abort()
  }

  close(): void {
    if (this.#isClosed) return
    this.#state = 'closed'
    this.#empty()
    this.#release()
    this.#keeper.closed(this)
  }

  get #isClosed(): boolean {
    return this.#state === 'closed'
  }

  #release(): void {
    this.#reservation?.release()
    this.#reservation = undefined
  }

  /** @returns whether there is room for more. A sink that has ended the stream reports room, which nothing uses. */
  #write(batch: EventBatch): boolean {
    this.#silentSince = undefined
    const room = this.#sink.write(batch)
    if (room === undefined) return true
    if (this.#isClosed) return false
    if (room === BEGIN_ANEW) {
      this.#beginAnew()
      return false
    }
    this.#state = 'full'
    room.then(
      (result) => this.#drained(result === BEGIN_ANEW),
      () => this.end(),
    )
    return false
  }

  #drained(wasRefused: boolean): void {
    if (this.#state !== 'full') return
    if (wasRefused) this.#beginAnew()
    else this.#deliverWaiting()
  }

  /** Delivers a piece of what waits; each turn of the event loop delivers one. */
  #deliverWaiting(): void {
    if (this.#lost) {
      this.#beginAnew()
      return
    }
    this.#state = 'open'
    const batch = this.#mailbox?.take(this.#settings.pieceLength)
    if (batch === undefined || !this.#write(batch)) return
    // The write may have dropped the rest.
    if (this.#lost || this.#mailbox?.isEmpty === false) this.#deliverLater()
  }

  /** Delivers in the next turn. Until then new events wait behind the others. */
  #deliverLater(): void {
    this.#state = 'full'
    setImmediate(() => this.#drained(false))
  }

  #keep(batch: EventBatch): void {
    this.#wait(batch.waiting)
    this.#mailbox?.enforceBound(this.#settings.maxWaiting)
  }

  #wait(waiting: WaitingEvents): void {
    if (this.#isClosed || this.#lost) return
    const { reserve, bound } = this.#sink
    this.#mailbox ??= new Mailbox({ reserve, bound, onOverflow: () => this.#lose() })
    this.#mailbox.push(waiting)
  }

  /** Drops what waits. The stream begins anew when there is room. */
  #lose(): void {
    this.#empty()
    this.#lost = true
    this.#keeper.lost()
  }

  #beginAnew(): void {
    this.#postponed = undefined
    this.#empty()
    this.#state = 'starting'
    this.#isOutdated = false
    this.#keeper.begin(this)
  }

  #empty(): void {
    this.#mailbox?.empty()
    this.#lost = false
  }
}
