import { DholeError } from '../error.ts'
import type { AuthorizeRead } from '../tree/read-program.ts'
import type { EventBatch, WaitingEvents } from './event-batch.ts'
import { Mailbox } from './mailbox.ts'
import type { Reservation, ReserveMemory } from './reservation.ts'

/** Why a stream ends by itself, in words for the client. */
export interface EndReason {
  readonly kind: 'cancel' | 'auth_revoked'
  readonly text: string
}

/** What a client is told when there is more than anybody may read at once. */
export const TOO_LARGE: EndReason = {
  kind: 'cancel',
  text: 'The specified payload is too large, please request a location with less data.',
}

/** What a client is told when the memory for streams is full and its query takes the most of it. */
export const NO_ROOM: EndReason = {
  kind: 'cancel',
  text: 'The service has no room for this query, please choose fewer children.',
}

/** What a client is told that may not read any more. */
export const DENIED: EndReason = { kind: 'cancel', text: 'Permission denied' }

/** Why a stream cannot go on after a failure. */
export function reasonOf(error: unknown): EndReason | undefined {
  if (!(error instanceof DholeError)) return undefined
  if (error.code === 'permission-denied') return DENIED
  if (error.code === 'too-busy') return NO_ROOM
  return error.code === 'read-too-big' ? TOO_LARGE : undefined
}

/** A sink did not take a batch, and never will: the stream must begin anew. */
export const BEGIN_ANEW = Symbol('begin anew')

/** Where the events of one subscriber go. */
export interface Sink {
  /** Counts memory that is held for the client; without, nothing is counted. */
  readonly reserve?: ReserveMemory | undefined
  /**
   * Takes a batch.
   * @returns `BEGIN_ANEW` when it did not take it; when there is no room for more, a promise that resolves when there
   *   is, to `BEGIN_ANEW` when it did not take the batch after all. A batch that is a beginning is always taken.
   */
  write(batch: EventBatch): Promise<unknown> | typeof BEGIN_ANEW | undefined
  /** Tells a client that nothing has happened. Only called while there is room. */
  keepAlive(): void
  /** Nothing more comes. */
  end(reason?: EndReason): void
  /** Whoever reads has stood still for too long. */
  abort(): void
}

/** Times the silence between two keep-alives that somebody may go without reading. */
const MOST_SILENCES = 4

type State = 'starting' | 'open' | 'full' | 'closed'

/** Who listens. */
export interface SubscriberListener {
  readonly sink: Sink
  /** Authorises the listener on the commit that its first snapshot is read from. */
  readonly authorize: AuthorizeRead | undefined
}

/** Bounds of what waits, in UTF-16 code units. */
export interface WaitingSettings {
  /** Most that may wait. */
  readonly maxWaiting: number
  /** What is handed over of it in one turn of the event loop, about. */
  readonly pieceLength: number
}

/** What a stream, or what is left of it, begins with. */
export interface Beginning {
  /** Number of the commit up to which it tells everything. */
  readonly seq: number
  readonly batch: EventBatch
  /** The rest of a long catch-up, in pieces. */
  readonly more?: readonly WaitingEvents[]
}

/** What a subscriber asks of those who keep it. */
export interface SubscriberKeeper {
  /** Asks for a beginning: `start` is to be called. */
  readonly begin: () => void
  /** Hears, once, that nothing more is to be delivered. */
  readonly closed: () => void
  /** Hears each time that what waited was dropped because it was too much. */
  readonly onLost: (() => void) | undefined
}

/**
 * One watcher's mailbox. It is bounded: who reads too slowly loses what waits, and is told everything anew when there
 * is room again, which the path `/` of a put makes right.
 *
 * The order holds by construction: only `start` leaves the state `starting`, it writes the beginning first, and of what
 * waited it writes only later commits. Whatever is lost or refused leads back to `starting`.
 * @see docs/reference/protocol.md#streams
 */
export class Subscriber {
  /** Authorises the listener on the commit that its first snapshot is read from. */
  readonly authorize: AuthorizeRead | undefined
  readonly #sink: Sink
  readonly #settings: WaitingSettings
  readonly #keeper: SubscriberKeeper
  #state: State = 'starting'
  /** Made when something has to wait. */
  #mailbox: Mailbox | undefined
  /** Whether some of what waited was dropped. */
  #lost = false
  #held: Reservation | undefined
  /** First turn of the clock after it was last written to. */
  #silentSince: number | undefined

  constructor({ sink, authorize }: SubscriberListener, settings: WaitingSettings, keeper: SubscriberKeeper) {
    this.#sink = sink
    this.authorize = authorize
    this.#settings = settings
    this.#keeper = keeper
  }

  /** The beginning: everything as of one commit. What came since has been waiting. */
  start({ seq, batch, more = [] }: Beginning): void {
    if (this.#state !== 'starting') return
    if (this.#lost) {
      this.#beginAnew()
      return
    }
    const later = this.#mailbox?.takeLater(seq) ?? []
    this.#state = 'open'
    let hasRoom = true
    if (batch.events.length > 0) hasRoom = this.#write(batch)
    // Whoever has missed nothing must hear all the same that the stream is open.
    else this.#sink.keepAlive()
    // It may have been closed by what it was told.
    if (this.#isClosed || (more.length === 0 && later.length === 0)) return
    for (const waiting of [...more, ...later]) this.#wait(waiting)
    if (!hasRoom) return
    if (more.length === 0) this.#handOver()
    else this.#handOverLater()
  }

  /** Events, in order. */
  deliver(batch: EventBatch): void {
    if (this.#state === 'open') this.#write(batch)
    else this.#keep(batch)
  }

  /**
   * Counts memory that is held for it, together with others who hold the same thing. When there is no room any more,
   * now or later, the stream ends with `NO_ROOM`.
   * @returns whether there is room
   */
  reserve(what: object, bytes: number): boolean {
    if (this.#held !== undefined) this.#held.resize(bytes)
    else if (this.#state !== 'closed') this.#held = this.#sink.reserve?.(what, bytes, () => this.end(NO_ROOM))
    // It may have been given up before it was known here.
    if (this.#state === 'closed') this.#release()
    return this.#state !== 'closed'
  }

  /** What it holds takes so many bytes now. @returns whether it holds anything that is counted */
  resizeHeld(bytes: number): boolean {
    if (this.#held === undefined) return false
    this.#held.resize(bytes)
    return true
  }

  /**
   * Tells the client that nothing has happened, if that is so, and gives up one that does not read at all.
   * @param turn of the clock
   * @param silence turns after which it wants to hear something
   */
  tick(turn: number, silence: number): void {
    this.#silentSince ??= turn
    const silent = turn - this.#silentSince
    if (this.#state === 'open' && silent >= silence) {
      this.#silentSince = turn
      this.#sink.keepAlive()
    } else if (this.#state === 'full' && silent >= silence * MOST_SILENCES) this.#sink.abort()
  }

  /** Nothing more comes. */
  end(reason?: EndReason): void {
    if (this.#state === 'closed') return
    const isStuck = this.#state === 'full'
    this.close()
    this.#sink.end(reason)
    // What waits to be read would keep the connection open.
    if (isStuck) this.#sink.abort()
  }

  /** Nobody listens any more. */
  close(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#empty()
    this.#release()
    this.#keeper.closed()
  }

  get #isClosed(): boolean {
    return this.#state === 'closed'
  }

  #release(): void {
    this.#held?.release()
    this.#held = undefined
  }

  /** @returns whether there is room for more. A sink that ended the stream has room too: nobody asks it any more. */
  #write(batch: EventBatch): boolean {
    this.#silentSince = undefined
    const room = this.#sink.write(batch)
    if (room === undefined) return true
    if (this.#state === 'closed') return false
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
    else this.#handOver()
  }

  /** There is room: hands over a piece of what waits, in each turn of the event loop one. */
  #handOver(): void {
    if (this.#lost) {
      this.#beginAnew()
      return
    }
    this.#state = 'open'
    const batch = this.#mailbox?.take(this.#settings.pieceLength)
    if (batch === undefined || !this.#write(batch)) return
    // What was left may have been lost meanwhile.
    if (this.#lost || this.#mailbox?.isEmpty === false) this.#handOverLater()
  }

  /** Whoever has room, but not all that came before, is told nothing else. */
  #handOverLater(): void {
    this.#state = 'full'
    setImmediate(() => this.#drained(false))
  }

  #keep(batch: EventBatch): void {
    this.#wait(batch.waiting)
    if ((this.#mailbox?.length ?? 0) > this.#settings.maxWaiting) this.#lose()
  }

  #wait(waiting: WaitingEvents): void {
    if (this.#state === 'closed' || this.#lost) return
    this.#mailbox ??= new Mailbox(this.#sink.reserve, () => this.#lose())
    this.#mailbox.push(waiting)
  }

  /** It is more than anybody may make us keep: it is dropped, and the stream begins anew when there is room. */
  #lose(): void {
    this.#empty()
    this.#lost = true
    this.#keeper.onLost?.()
  }

  /** Drops whatever waits, and asks for a beginning. */
  #beginAnew(): void {
    this.#empty()
    this.#state = 'starting'
    this.#keeper.begin()
  }

  #empty(): void {
    this.#mailbox?.empty()
    this.#lost = false
  }
}
