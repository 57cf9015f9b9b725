import { DholeError } from '../tree/error.ts'
import { type Batch, joinBatches } from './batch.ts'

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

/** Why a stream cannot go on after a failure. */
export function reasonOf(error: unknown): EndReason | undefined {
  return error instanceof DholeError && error.code === 'read-too-big' ? TOO_LARGE : undefined
}

/** Where the events of one subscriber go. */
export interface Sink {
  /** Takes a batch. @returns when there is no room for more: a promise that resolves when there is */
  write(batch: Batch): Promise<unknown> | undefined
  /** Tells a client that nothing has happened. Only called while there is room. */
  keepAlive(): void
  /** Nothing more comes. */
  end(reason?: EndReason): void
  /** Whoever reads has stood still for too long. */
  cut(): void
}

/** Times the silence between two keep-alives that somebody may go without reading. */
const MOST_SILENCES = 4

type State = 'starting' | 'open' | 'full' | 'closed'

/**
 * One watcher's mailbox. It is bounded: who reads too slowly loses what waits, and is told everything anew when there
 * is room again, which the path `/` of a put makes right.
 * @see docs/protocol.md#streams
 */
export class Subscriber {
  readonly #sink: Sink
  readonly #maxLength: number
  readonly #restart: () => void
  readonly #closed: () => void
  readonly #onLost: (() => void) | undefined
  #state: State = 'starting'
  #waiting: Batch[] = []
  #length = 0
  /** Whether some of what waited was dropped. */
  #lost = false
  /** First turn of the clock after it was last written to. */
  #silentSince: number | undefined

  /**
   * @param maxLength most that may wait, in UTF-16 code units
   * @param restart asks for a new beginning: `start` is to be called again
   * @param closed hears, once, that nothing more is to be delivered
   * @param onLost hears each time that what waited was dropped because it was too much
   */
  constructor(sink: Sink, maxLength: number, restart: () => void, closed: () => void, onLost?: () => void) {
    this.#sink = sink
    this.#maxLength = maxLength
    this.#restart = restart
    this.#closed = closed
    this.#onLost = onLost
  }

  /** The beginning: everything as of one commit. What came since has been waiting. */
  start(batch: Batch): void {
    if (this.#state !== 'starting') return
    if (this.#lost) {
      this.#empty()
      this.#restart()
      return
    }
    const later = this.#waiting.filter(({ seq }) => seq > batch.seq)
    this.#empty()
    this.#state = 'open'
    if (batch.events.length > 0) this.#write(batch)
    // Whoever has missed nothing must hear all the same that the stream is open.
    else this.#sink.keepAlive()
    for (const each of later) this.deliver(each)
  }

  /** Events, in order. */
  deliver(batch: Batch): void {
    if (this.#state === 'closed' || this.#lost) return
    if (this.#state === 'open') {
      this.#write(batch)
      return
    }
    this.#waiting.push(batch)
    this.#length += batch.length
    if (this.#length <= this.#maxLength) return
    // It is more than anybody may make us keep.
    this.#empty()
    this.#lost = true
    this.#onLost?.()
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
    } else if (this.#state === 'full' && silent >= silence * MOST_SILENCES) this.#sink.cut()
  }

  /** Whatever waits is dropped, and everything is told anew. */
  resync(): void {
    this.#empty()
    if (this.#state === 'open') {
      this.#state = 'starting'
      this.#restart()
    } else if (this.#state !== 'closed') this.#lost = true
  }

  /** Nothing more comes. */
  end(reason?: EndReason): void {
    if (this.#state === 'closed') return
    const isStuck = this.#state === 'full'
    this.close()
    this.#sink.end(reason)
    // What waits to be read would keep the connection open.
    if (isStuck) this.#sink.cut()
  }

  /** Nobody listens any more. */
  close(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#empty()
    this.#closed()
  }

  #write(batch: Batch): void {
    this.#silentSince = undefined
    const room = this.#sink.write(batch)
    if (room === undefined || this.#state === 'closed') return
    this.#state = 'full'
    room.then(
      () => this.#drained(),
      () => this.end(),
    )
  }

  #drained(): void {
    if (this.#state !== 'full') return
    if (this.#lost) {
      this.#empty()
      this.#state = 'starting'
      this.#restart()
      return
    }
    const waiting = this.#waiting
    this.#empty()
    this.#state = 'open'
    if (waiting.length > 0) this.#write(joinBatches(waiting))
  }

  #empty(): void {
    this.#waiting = []
    this.#length = 0
    this.#lost = false
  }
}
