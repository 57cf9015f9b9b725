import type { ReserveMemory } from '../../../hub/mailbox.ts'
import { loopTurn } from '../../../scheduling/loop-turn.ts'
import type { EndCause } from '../session/carrier.ts'
import { HeldMemory } from '../session/held-memory.ts'
import type { EarlyTransport, EngineConnection } from './engine-connection.ts'
import { CLOSE, NOOP, PING_MS } from './packets.ts'

/** Time without a request after which the client has left, in milliseconds. */
const SILENT_MS = 60_000
/** The same as a time that a request is held, while the client tries a WebSocket: it waits for the answer first. */
const TRYING_MS = 100
/** Memory of a waiting packet beside its text, in bytes, and of each of its characters. */
const PACKET_BYTES = 64
const BYTES_PER_UNIT = 2

/** The requests of a client of long polling. */
export class EnginePolling implements EarlyTransport {
  readonly #connection: EngineConnection
  readonly #memory: HeldMemory
  #waiting: string[] = []
  #bytes = 0
  #room: PromiseWithResolvers<void> | undefined
  /** Answers the request that is held. */
  #held: ((packets: readonly string[]) => void) | undefined
  #timer: Timer | undefined
  #isTrying = false
  #isOver = false
  /** Resolves when the packets of all bodies that have come were taken. */
  #taken: Promise<void> = Promise.resolve()

  /** @param abort called when the client takes too much memory */
  constructor(connection: EngineConnection, reserve: ReserveMemory, abort: () => void) {
    this.#connection = connection
    this.#memory = new HeldMemory(reserve, abort)
  }

  get room(): Promise<void> | undefined {
    if (this.#waiting.length === 0) return undefined
    this.#room ??= Promise.withResolvers<void>()
    return this.#room.promise
  }

  /** Opens the connection. @returns the first packets */
  start(): readonly string[] {
    this.#connection.beginEarly(this)
    this.#awaitRequest()
    return this.#take()
  }

  /** Resolves with the packets for the client as soon as there are some. */
  poll(): Promise<readonly string[]> {
    this.#answer()
    const { promise, resolve } = Promise.withResolvers<readonly string[]>()
    this.#held = resolve
    clearTimeout(this.#timer)
    if (this.#waiting.length > 0 || this.#isOver) this.#answerSoon()
    else this.#hold()
    return promise
  }

  /** Takes the packets of a body, in several turns of the event loop where they are many, and after those of earlier ones. */
  receive(packets: Iterable<string>): Promise<void> {
    const before = this.#taken
    const taking = before.then(() => this.#receive(packets))
    this.#taken = taking
    return taking
  }

  /** The client tries a WebSocket. */
  tried(): void {
    if (this.#isOver) return
    this.#isTrying = true
    this.#answer()
  }

  /** It has failed. */
  failed(): void {
    this.#isTrying = false
  }

  send(packet: string): Promise<void> | undefined {
    if (this.#isOver) return undefined
    this.#waiting.push(packet)
    this.#bytes += packet.length * BYTES_PER_UNIT + PACKET_BYTES
    this.#memory.resize(this.#bytes)
    this.#answerSoon()
    return this.room
  }

  leave(): readonly string[] {
    const packets = this.#take()
    this.#stop([NOOP])
    return packets
  }

  end(_cause: EndCause, _reason: string): void {
    this.#take()
    this.#stop([CLOSE])
  }

  async #receive(packets: Iterable<string>): Promise<void> {
    try {
      for (const packet of packets) {
        if (this.#isOver) return
        this.#connection.receive(packet)
        if (loopTurn.isOver) await loopTurn.pause()
      }
    } catch (error) {
      this.#connection.refuse(error)
    }
  }

  /** Answers in the next turn, with all that is sent in this one. */
  #answerSoon(): void {
    if (this.#held !== undefined) setImmediate(() => this.#answer())
  }

  #answer(): void {
    const held = this.#held
    if (held === undefined) return
    this.#held = undefined
    this.#awaitRequest()
    const packets = this.#take()
    held(packets.length > 0 ? packets : [this.#isOver ? CLOSE : NOOP])
  }

  #hold(): void {
    this.#timer = setTimeout(() => this.#answer(), this.#isTrying ? TRYING_MS : PING_MS)
    this.#timer.unref()
  }

  /** Without a next request the client has left. */
  #awaitRequest(): void {
    clearTimeout(this.#timer)
    if (this.#isOver) return
    this.#timer = setTimeout(() => {
      this.#stop([CLOSE])
      this.#connection.lost(this)
    }, SILENT_MS)
    this.#timer.unref()
  }

  #take(): readonly string[] {
    const packets = this.#waiting
    this.#waiting = []
    this.#bytes = 0
    this.#memory.release()
    this.#room?.resolve()
    this.#room = undefined
    return packets
  }

  /** @param last packets for the request that is held */
  #stop(last: readonly string[]): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#take()
    this.#held?.(last)
    this.#held = undefined
  }
}
