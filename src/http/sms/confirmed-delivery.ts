import type { Lease } from '../../sms/model/lease.ts'
import { type Peer, peerOf } from '../connection/peer.ts'
import { sendQueueOf } from '../connection/send-queue.ts'
import type { Exchange } from '../exchange.ts'
import { jsonStreamReply } from '../response/reply.ts'

type Writer = ReadableStreamDirectController

const HEAD = '{"status":"ok","data":['
const END = ']}'
/** A client that takes nothing for so long has gone. */
const PATIENCE_MS = 60_000
/** Once all is confirmed, the client has so long to go away: its last word may still be on the way. */
const SETTLE_MS = 20
/** Between looks at the queue of the connection; each pause is twice the one before. */
const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 50
/** When even that has not happened, the answer is left without its end. */
const CUT_WAIT_MS = 10_000

/** What a handover may be waited for. */
export interface HandoverOptions {
  /** Time without progress after which the client counts as gone, in milliseconds. Default: a minute. */
  readonly patienceMs?: number
}

/**
 * Hands final states over to a client, and tells the lease whether it has got them.
 *
 * All but the last two characters is written at once. The end is held back until the system has nothing of the
 * connection left that the system of the client has not confirmed, and the client has not gone away a moment later.
 * Then it is written and the lease acknowledged. If the client goes away before, or takes nothing for a minute, the
 * lease is released, and the client has an answer that is no JSON.
 *
 * What cannot be seen: a client whose system has confirmed every byte but the end, and that dies or is cut off from
 * then on, without its system telling within the moment; a client behind a proxy that reads ahead; and, where the
 * system does not show its queues (`sendQueueOf`), what of an answer has arrived: there only a client that closes its
 * connection within the moment has gone.
 *
 * @param ended called once, when the lease has been acknowledged or released; with the error when that has failed
 * @see docs/reference/protocol.md#handing-over
 */
export function handOver(
  lease: Lease,
  exchange: Exchange,
  ended: (failure?: unknown) => void,
  { patienceMs = PATIENCE_MS }: HandoverOptions = {},
): Response {
  return jsonStreamReply(new Handover(lease, exchange, ended, patienceMs).body)
}

class Handover {
  /** The body of the answer. */
  readonly body: ReadableStream
  readonly #lease: Lease
  readonly #exchange: Exchange
  readonly #ended: (failure?: unknown) => void
  readonly #patienceMs: number
  readonly #peer: Peer | null
  /** Our end of the connection. A listener that is about to stop says 0, and goes on with what is under way. */
  readonly #port: number | undefined
  /** Ends the wait of the moment. */
  #wake = () => {}
  /** Whether the system has shown the connection. */
  #isSeen = false
  #isGone = false
  /** Whether it is settled what becomes of the lease. */
  #isOver = false

  constructor(lease: Lease, exchange: Exchange, ended: (failure?: unknown) => void, patienceMs: number) {
    const { request, listener, limits } = exchange
    this.#lease = lease
    this.#exchange = exchange
    this.#ended = ended
    this.#patienceMs = patienceMs
    this.#peer = peerOf(exchange)
    this.#port = listener?.port || undefined
    this.body = new ReadableStream({
      type: 'direct',
      pull: (writer: Writer) => this.#run(writer),
      cancel: () => this.#leave(),
    })
    // While the end is held back nothing happens, and that is no idleness.
    limits.disableIdleTimeout(exchange)
    request.signal.addEventListener('abort', () => this.#leave())
    if (request.signal.aborted) this.#leave()
    else this.#expectReader()
  }

  /** It may be that nobody ever takes the answer. */
  #expectReader(): void {
    const timer = setTimeout(() => this.#release(), this.#patienceMs)
    this.#wake = () => clearTimeout(timer)
  }

  async #run(writer: Writer): Promise<void> {
    this.#wake()
    try {
      if (await this.#tell(writer)) return this.#finish(writer)
      this.#release()
    } catch (error) {
      this.#release(error)
    }
    await this.#cut()
  }

  /** Writes all but the end. @returns whether the client has it */
  async #tell(writer: Writer): Promise<boolean> {
    let before = HEAD
    for (const piece of this.#lease.chunks) {
      if (this.#isOver) return false
      const written: unknown = writer.write(before + piece)
      writer.flush()
      // A number says that it was taken, a promise that there is no room for more until it is kept.
      if (written instanceof Promise && !(await this.#wait(this.#patienceMs, written))) return false
      before = ','
    }
    if (!(await this.#isConfirmed())) return false
    await this.#wait(SETTLE_MS)
    // Whoever went away meanwhile may not have been heard yet.
    return this.#isConfirmed()
  }

  /** Waits for the queue of the connection to be empty. @returns `false` when the client has gone, or takes nothing */
  async #isConfirmed(): Promise<boolean> {
    let least = Number.POSITIVE_INFINITY
    let leastAt = performance.now()
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const queued = await this.#queued()
      if (this.#isOver) return false
      // A connection that was there and is there no more has been broken off.
      if (queued === undefined) return !this.#isSeen
      this.#isSeen = true
      if (queued === 0) return true
      const now = performance.now()
      if (queued >= least && now - leastAt >= this.#patienceMs) return false
      if (queued < least) [least, leastAt] = [queued, now]
      await this.#wait(pause)
    }
  }

  async #queued(): Promise<number | undefined> {
    return this.#peer === null ? undefined : sendQueueOf(this.#peer, this.#port)
  }

  /**
   * Waits for a time; less when the client goes away, or what is awaited is kept.
   * @returns whether it was kept
   */
  #wait(ms: number, awaited?: Promise<unknown>): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), ms)
    this.#wake = () => resolve(false)
    if (this.#isGone) resolve(false)
    awaited?.then(
      () => resolve(true),
      () => resolve(false),
    )
    return promise.finally(() => clearTimeout(timer))
  }

  /** The client has it all. */
  #finish(writer: Writer): void {
    this.#exchange.limits.enableIdleTimeout(this.#exchange)
    writer.write(END)
    writer.end()
    // Even now it may turn out that the client has gone.
    if (this.#isOver) return
    this.#isOver = true
    this.#lease.acknowledge().then(() => this.#ended(), this.#ended)
  }

  /** Breaks the connection off, unless the client has: what it was sent must not look like an answer. */
  async #cut(): Promise<void> {
    const { listener, limits } = this.#exchange
    if (this.#isGone || listener === null) return
    limits.abortConnection(this.#exchange)
    await this.#wait(CUT_WAIT_MS)
  }

  #leave(): void {
    this.#isGone = true
    this.#wake()
    this.#release()
  }

  #release(failure?: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#lease.release()
    this.#ended(failure)
  }
}
