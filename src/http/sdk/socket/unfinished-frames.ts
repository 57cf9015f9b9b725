import type { ReserveMemory } from '../../../hub/mailbox.ts'
import { loopTurn } from '../../../scheduling/loop-turn.ts'
import { HeldMemory } from '../session/held-memory.ts'
import type { PingedSocket } from './silent-sockets.ts'

/** Time between two looks at the memory of the process, in milliseconds. */
const CHECK_MS = 1000
/** Looks after which a client that has not answered a ping is silent. */
const CHECKS_TO_ANSWER = 2

/** Memory of the process, in bytes. */
interface ProcessMemory {
  /** All of it. */
  readonly used: number
  /** What is reserved for clients. */
  readonly reserved: number
}

/** One WebSocket whose client may be in the middle of a frame. */
export class WatchedFrames {
  readonly #socket: PingedSocket
  readonly #reserve: ReserveMemory
  /** `undefined` until something is believed. */
  #memory: HeldMemory | undefined
  /** Bytes that its unfinished frame is believed to take. */
  believed = 0
  isAsked = false

  constructor(socket: PingedSocket, reserve: ReserveMemory) {
    this.#socket = socket
    this.#reserve = reserve
  }

  /** A frame, or the answer to a ping, has come: no earlier frame is unfinished. */
  heard(): void {
    this.isAsked = false
    if (this.believed > 0) this.believe(0)
  }

  ask(): void {
    this.isAsked = true
    this.#socket.ping()
  }

  believe(bytes: number): void {
    this.believed = bytes
    this.#memory ??= new HeldMemory(this.#reserve, () => {
      this.believed = 0
      this.#socket.terminate()
    })
    this.#memory.resize(bytes)
  }
}

/**
 * Counts the frames that have not arrived whole. The runtime keeps them and does not report them: a client may send all
 * of a long frame but its end. Such a client cannot answer a ping. So when the process takes more memory than is reserved
 * for clients, all are asked, and the memory is reserved for those that stay silent. Above the bound of all reservations
 * they are cut off.
 */
export class UnfinishedFrames {
  readonly #reserve: ReserveMemory
  readonly #least: number
  readonly #read: () => ProcessMemory
  readonly #watched = new Set<WatchedFrames>()
  /** Unreserved memory of the process when no client was silent. */
  #usual: number
  /** Looks since all were asked; `undefined` while that is not so. */
  #checks: number | undefined
  #timer: Timer | undefined

  /**
   * @param least bytes beyond the usual memory for which clients are asked
   * @param read the memory of the process
   */
  constructor(reserve: ReserveMemory, least: number, read: () => ProcessMemory) {
    this.#reserve = reserve
    this.#least = least
    this.#read = read
    const { used, reserved } = read()
    this.#usual = used - reserved
  }

  watch(socket: PingedSocket): WatchedFrames {
    const watched = new WatchedFrames(socket, this.#reserve)
    this.#watched.add(watched)
    this.#timer ??= setInterval(() => void this.check(), CHECK_MS)
    this.#timer.unref()
    return watched
  }

  /** The socket is closed. */
  forget(watched: WatchedFrames): void {
    watched.heard()
    this.#watched.delete(watched)
    if (this.#watched.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Looks at the memory once. */
  async check(): Promise<void> {
    const believed = [...this.#watched].reduce((sum, each) => sum + each.believed, 0)
    const { used, reserved } = this.#read()
    const unreserved = used - (reserved - believed)
    this.#usual = Math.min(this.#usual, unreserved)
    const excess = unreserved - this.#usual
    if (this.#checks !== undefined) this.#judge(excess, unreserved, ++this.#checks)
    else if (excess > this.#least) await this.#askAll()
  }

  async #askAll(): Promise<void> {
    this.#checks = 0
    for (const each of [...this.#watched]) {
      if (this.#watched.has(each)) each.ask()
      if (loopTurn.isOver) await loopTurn.pause()
    }
  }

  #judge(excess: number, unreserved: number, checks: number): void {
    if (checks < CHECKS_TO_ANSWER) return
    const silent = [...this.#watched].filter(({ isAsked }) => isAsked)
    if (silent.length === 0) {
      this.#usual = unreserved
      this.#checks = undefined
      return
    }
    for (const each of silent) each.believe(excess / silent.length)
  }
}
