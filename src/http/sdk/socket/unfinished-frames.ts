import type { ReserveMemory } from '../../../hub/mailbox.ts'
import { loopTurn } from '../../../scheduling/loop-turn.ts'
import { HeldMemory } from '../session/held-memory.ts'
import { QuietClients } from './quiet-clients.ts'
import type { PingedSocket } from './silent-sockets.ts'

/** Time between two looks at the memory of the process, in milliseconds. */
const CHECK_MS = 1000
/** Looks after which a client that has not answered a ping is silent. */
const LOOKS_TO_ANSWER = 2

/** Memory of the process, in bytes. */
interface ProcessMemory {
  /** All of it. */
  readonly used: number
  /** What is reserved for clients. */
  readonly reserved: number
}

/** One WebSocket whose client may be in the middle of a message. */
export class WatchedFrames {
  readonly #socket: PingedSocket
  readonly #reserve: ReserveMemory
  readonly #quiet: QuietClients
  /** `undefined` until something is believed. */
  #memory: HeldMemory | undefined
  /** Bytes that its unfinished frame is believed to take. */
  believed = 0
  isAsked = false
  /** The look after which its last whole message came; -1: none came. */
  messageAt = -1

  constructor(socket: PingedSocket, reserve: ReserveMemory, quiet: QuietClients) {
    this.#socket = socket
    this.#reserve = reserve
    this.#quiet = quiet
  }

  /** A whole message has come: no earlier frame, and no earlier part of a message, is kept any more. */
  message(): void {
    this.messageAt = this.#quiet.look
    this.answer()
  }

  /** The answer to a ping has come: no earlier frame is unfinished. It may come between the parts of a message. */
  answer(): void {
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
      this.cut()
    })
    this.#memory.resize(bytes)
  }

  cut(): void {
    this.#socket.terminate()
  }
}

/**
 * Counts the messages that have not arrived whole. The runtime keeps their frames and does not report them: a client may
 * send all of a long frame but its end. Such a client cannot answer a ping. So when the process takes more memory than is
 * reserved for clients, all are asked, and the memory is reserved for those that stay silent. Above the bound of all
 * reservations they are cut off. Clients that answer, and never end a message of several frames, are `QuietClients`.
 */
export class UnfinishedFrames {
  readonly #reserve: ReserveMemory
  readonly #least: number
  readonly #read: () => ProcessMemory
  readonly #watched = new Set<WatchedFrames>()
  readonly #quiet: QuietClients
  /** Unreserved memory of the process when no client was silent. */
  #usual: number
  /** Looks since all were asked, and the unreserved memory then; `undefined` while no answer is awaited. */
  #asked: { looks: number; readonly unreserved: number } | undefined
  #timer: Timer | undefined

  /**
   * @param least bytes beyond the usual memory for which clients are asked
   * @param most bytes beyond the usual memory above which quiet clients are cut off
   * @param read the memory of the process
   */
  constructor(reserve: ReserveMemory, least: number, most: number, read: () => ProcessMemory) {
    this.#reserve = reserve
    this.#least = least
    this.#read = read
    const { used, reserved } = read()
    this.#usual = used - reserved
    this.#quiet = new QuietClients(most, used - reserved)
  }

  watch(socket: PingedSocket): WatchedFrames {
    const watched = new WatchedFrames(socket, this.#reserve, this.#quiet)
    this.#watched.add(watched)
    this.#timer ??= setInterval(() => void this.check(), CHECK_MS)
    this.#timer.unref()
    return watched
  }

  /** The socket is closed. */
  forget(watched: WatchedFrames): void {
    watched.answer()
    this.#watched.delete(watched)
    if (this.#watched.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Looks at the memory once. */
  async check(): Promise<void> {
    const believed = [...this.#watched].reduce((sum, each) => sum + each.believed, 0)
    const { used, reserved } = this.#read()
    this.#quiet.check(used - reserved, this.#watched)
    const unreserved = used - (reserved - believed)
    this.#usual = Math.min(this.#usual, unreserved)
    const excess = unreserved - this.#usual
    if (this.#asked !== undefined) this.#judge(excess, this.#asked)
    else if (excess > this.#least) await this.#askAll(unreserved)
  }

  async #askAll(unreserved: number): Promise<void> {
    this.#asked = { looks: 0, unreserved }
    for (const each of [...this.#watched]) {
      if (this.#watched.has(each)) each.ask()
      if (loopTurn.isOver) await loopTurn.pause()
    }
  }

  #judge(excess: number, asked: { looks: number; readonly unreserved: number }): void {
    if (++asked.looks < LOOKS_TO_ANSWER) return
    const silent = [...this.#watched].filter(({ isAsked }) => isAsked)
    for (const each of silent) each.believe(excess / silent.length)
    if (silent.length > 0) return
    // What has come since they were asked may be the beginning of another frame.
    this.#usual = Math.max(this.#usual, asked.unreserved)
    this.#asked = undefined
  }
}
