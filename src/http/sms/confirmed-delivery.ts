import type { Lease } from '../../sms/model/lease.ts'
import { type Peer, peerOf } from '../connection/peer.ts'
import { sendQueueOf } from '../connection/send-queue.ts'
import type { Exchange } from '../exchange.ts'
import { jsonStreamReply } from '../response/reply.ts'

type Writer = ReadableStreamDirectController

const HEAD = '{"status":"ok","data":['
const END = ']}'
/** Time without progress after which a client counts as disconnected. */
const PATIENCE_MS = 60_000
/** Wait after everything was acknowledged: a disconnect may still be on its way. */
const SETTLE_MS = 20
/** Between reads of the connection's queue; each pause is twice the previous one. */
const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 50
/** Longest wait for an aborted connection to end; then the reply is left without its end. */
const CUT_WAIT_MS = 10_000

/** Options of a delivery. */
export interface HandoverOptions {
  /** Time without progress after which the client counts as gone, in milliseconds. Default: a minute. */
  readonly patienceMs?: number
}

/**
 * Delivers final states to a client, and acknowledges or releases the lease.
 *
 * All but the last two characters is written at once. The end is held back until the peer's system has acknowledged
 * everything, and the client has not disconnected a moment later. Then the end is written and the lease acknowledged. If
 * the client disconnects before, or makes no progress for a minute, the lease is released, and the client is left with a
 * reply that is not JSON.
 *
 * Not detected: a client that disconnects after its system has acknowledged every byte but the end, without its system
 * reporting that within the moment; a client behind a proxy that reads ahead; and, where the system does not show its
 * queues (`sendQueueOf`), how much of a reply has arrived: there only a disconnect within the moment counts.
 *
 * @param ended called once, when the lease has been acknowledged or released; with the error when that has failed
 * @see docs/reference/protocol.md#handing-over
 */
export function deliver(
  lease: Lease,
  exchange: Exchange,
  ended: (failure?: unknown) => void,
  { patienceMs = PATIENCE_MS }: HandoverOptions = {},
): Response {
  return jsonStreamReply(new ConfirmedDelivery(lease, exchange, ended, patienceMs).body)
}

class ConfirmedDelivery {
  /** The body of the answer. */
  readonly body: ReadableStream
  readonly #lease: Lease
  readonly #exchange: Exchange
  readonly #ended: (failure?: unknown) => void
  readonly #patienceMs: number
  readonly #peer: Peer | null
  /** Local port of the connection. A listener that is stopping reports 0, and finishes open requests. */
  readonly #port: number | undefined
  /** Ends the current wait. */
  #wake = () => {}
  /** Whether the system has listed the connection. */
  #isSeen = false
  #isGone = false
  /** Whether the lease was acknowledged or released. */
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
    // The connection is silent, but not idle, while the end is held back.
    limits.disableIdleTimeout(exchange)
    request.signal.addEventListener('abort', () => this.#leave())
    if (request.signal.aborted) this.#leave()
    else this.#expectReader()
  }

  /** Releases the lease if the reply is never read. */
  #expectReader(): void {
    const timer = setTimeout(() => this.#release(), this.#patienceMs)
    this.#wake = () => clearTimeout(timer)
  }

  async #run(writer: Writer): Promise<void> {
    this.#wake()
    try {
      if (await this.#send(writer)) return this.#finish(writer)
      this.#release()
    } catch (error) {
      this.#release(error)
    }
    await this.#cut()
  }

  /** Writes all but the end. @returns whether the client has received it */
  async #send(writer: Writer): Promise<boolean> {
    let before = HEAD
    for (const piece of this.#lease.chunks) {
      if (this.#isOver) return false
      const written: unknown = writer.write(before + piece)
      writer.flush()
      // A number means accepted; a promise resolves when there is room for more.
      if (written instanceof Promise && !(await this.#wait(this.#patienceMs, written))) return false
      before = ','
    }
    if (!(await this.#isConfirmed())) return false
    await this.#wait(SETTLE_MS)
    // The client may have disconnected meanwhile.
    return this.#isConfirmed()
  }

  /** Waits until the queue of the connection is empty. @returns `false` if the client disconnects or makes no progress */
  async #isConfirmed(): Promise<boolean> {
    let least = Number.POSITIVE_INFINITY
    let leastAt = performance.now()
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const queued = await this.#queued()
      if (this.#isOver) return false
      // A connection that was listed before has ended.
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
   * Waits for a time, for `awaited`, or for the client to disconnect.
   * @returns whether `awaited` resolved
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

  /** The client has received everything but the end. */
  #finish(writer: Writer): void {
    this.#exchange.limits.enableIdleTimeout(this.#exchange)
    writer.write(END)
    writer.end()
    // Writing may show that the client has disconnected.
    if (this.#isOver) return
    this.#isOver = true
    this.#lease.acknowledge().then(() => this.#ended(), this.#ended)
  }

  /** Aborts the connection, unless the client has: an incomplete reply must not look complete. */
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
