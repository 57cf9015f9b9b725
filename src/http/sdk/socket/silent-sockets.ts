import { loopTurn } from '../../../scheduling/loop-turn.ts'

/** Looks at a socket within the time of silence. After half of them the client is asked by a ping. */
const LOOKS = 8

/** A WebSocket of the runtime. */
export interface PingedSocket {
  ping(): unknown
  terminate(): void
}

/** When the client of one WebSocket has given its last sign of life. */
export class Pulse {
  readonly #socket: PingedSocket
  readonly #allowed: number
  /** Looks since then. */
  #looks = 0

  /** @param allowed looks after which the client is lost */
  constructor(socket: PingedSocket, allowed: number) {
    this.#socket = socket
    this.#allowed = allowed
  }

  /** A frame or the answer to a ping has come, or the client has read what it was sent. */
  heard(): void {
    this.#looks = 0
  }

  look(): void {
    this.#looks++
    if (this.#looks >= this.#allowed) this.#socket.terminate()
    else if (this.#looks === this.#allowed >> 1) this.#socket.ping()
  }
}

/**
 * Cuts off clients that give no sign of life: a computer that was switched off, or a network that is gone. The runtime's own
 * pings do not find all of them: for it, a frame that was passed to the system is a sign of life.
 */
export class SilentSockets {
  readonly #timeoutMs: number
  readonly #pulses = new Set<Pulse>()
  #timer: Timer | undefined
  /** Number of the last look at all. */
  #look = 0

  /** @param timeoutMs time within which a client must give a sign of life, in milliseconds */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** @param longerMs allows at least this much time, in milliseconds */
  watch(socket: PingedSocket, longerMs = 0): Pulse {
    const lookMs = this.#timeoutMs / LOOKS
    const pulse = new Pulse(socket, Math.max(LOOKS, Math.floor(longerMs / lookMs)))
    this.#pulses.add(pulse)
    this.#timer ??= setInterval(() => void this.#lookAtAll(), lookMs)
    this.#timer.unref()
    return pulse
  }

  /** The socket is closed. */
  forget(pulse: Pulse): void {
    this.#pulses.delete(pulse)
    if (this.#pulses.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** In several turns of the event loop where they are many, until the next look begins. */
  async #lookAtAll(): Promise<void> {
    const look = ++this.#look
    for (const pulse of this.#pulses) {
      pulse.look()
      if (loopTurn.isOver) await loopTurn.pause()
      if (look !== this.#look) return
    }
  }
}
