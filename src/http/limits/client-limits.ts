import { networkOf } from '../../auth/network.ts'
import { DholeError } from '../../error.ts'
import type { ReserveMemory } from '../../hub/mailbox.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { type Connected, connectionOf, type Listener } from '../connection/peer.ts'
import type { Transport } from '../connection/transport.ts'
import { BodyQueue } from './body-queue.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import { type ClientLimitSettings, defaultClientLimits } from './limit-settings.ts'
import { MemoryBudget } from './memory-budget.ts'
import { PendingBodies } from './pending-bodies.ts'
import { RateLimiter } from './rate-limiter.ts'
import { Timeouts } from './timeouts.ts'
import { type AbortReason, Transfer, type TransferBounds, type TransferOptions } from './transfer.ts'

/** Time after which an aborted connection that does not read is closed. */
const ABORT_SECONDS = 2
/** Share of the memory below which little is held. */
const ROOMY_SHARE = 0.25
/** Share of the memory that short replies may take uncounted. */
const UNCOUNTED_SHARE = 1 / 64
/** Maximum bytes of a UTF-16 code unit in UTF-8. */
const MOST_BYTES_PER_UNIT = 3

/** Client that is counted by its address. */
interface Client extends Connected {
  readonly transport: Transport
}

/**
 * Bounds what clients take of the service. All listeners share one.
 * @see docs/how-to/limit-clients.md#limits-against-abuse
 */
export class ClientLimits {
  readonly settings: ClientLimitSettings
  readonly #perAddress: RateLimiter | undefined
  readonly #perApp: RateLimiter | undefined
  readonly #requests: ConcurrencyLimit | undefined
  readonly #requestsOfApp: ConcurrencyLimit | undefined
  readonly #streams: ConcurrencyLimit
  readonly #streamsOfApp: ConcurrencyLimit | undefined
  readonly #sockets: ConcurrencyLimit
  readonly #socketsOfApp: ConcurrencyLimit | undefined
  readonly #bodyQueue = new BodyQueue()
  readonly #transfers: TransferBounds

  constructor(settings: ClientLimitSettings = defaultClientLimits) {
    const { ratePerAddress, ratePerApp, maxRequests, maxRequestsPerAddress, maxRequestsPerApp } = settings
    this.settings = settings
    this.#perAddress = ratePerAddress > 0 ? new RateLimiter(ratePerAddress) : undefined
    this.#perApp = ratePerApp > 0 ? new RateLimiter(ratePerApp) : undefined
    const isCounting = maxRequests > 0 || maxRequestsPerAddress > 0
    const requests = { most: maxRequests, mostOfOne: maxRequestsPerAddress }
    this.#requests = isCounting ? new ConcurrencyLimit(requests) : undefined
    this.#requestsOfApp = ofEach(maxRequestsPerApp)
    this.#streams = new ConcurrencyLimit({ most: settings.maxStreams, mostOfOne: settings.maxStreamsPerAddress })
    this.#streamsOfApp = ofEach(settings.maxStreamsPerApp)
    this.#sockets = new ConcurrencyLimit({ most: settings.maxSockets, mostOfOne: settings.maxSocketsPerAddress })
    this.#socketsOfApp = ofEach(settings.maxSocketsPerApp)
    this.#transfers = {
      memory: new MemoryBudget(settings.maxTransferBytes),
      bodies: new PendingBodies(settings.maxBodies),
      timeouts: new Timeouts(),
      timeoutMs: settings.transferSeconds * 1000,
    }
  }

  /**
   * Answers a request within the limits of its address. It counts until its answer is known.
   * @throws `quota`, `too-busy`, and what `answer` throws
   */
  within<C extends Client>(client: C, answer: (client: C) => Awaitable<Response>): Awaitable<Response> {
    if (this.#perAddress !== undefined) this.#checkAddress(this.#perAddress, client)
    if (this.#requests === undefined) return answer(client)
    const leave = this.#requests.enter(() => networkOfClient(client))
    return counted(leave, () => answer(client))
  }

  /**
   * Answers a request within the limits of its application.
   * @throws `quota`, and what `answer` throws
   */
  withinApplication<C>(id: string, client: C, answer: (client: C) => Awaitable<Response>): Awaitable<Response> {
    if (this.#perApp !== undefined && !this.#perApp.take(id, performance.now())) throw new DholeError('quota')
    if (this.#requestsOfApp === undefined) return answer(client)
    const leave = this.#requestsOfApp.enter(() => id)
    return counted(leave, () => answer(client))
  }

  /**
   * Counts a stream.
   * @returns ends the count; must be called at least once
   * @throws `quota`, `too-busy`
   */
  enterStream(client: Client, applicationId: string): () => void {
    return enterBoth(this.#streams, this.#streamsOfApp, client, applicationId)
  }

  /** As `enterStream`, for a connection of an SDK. */
  enterSocket(client: Client, applicationId: string): () => void {
    return enterBoth(this.#sockets, this.#socketsOfApp, client, applicationId)
  }

  /**
   * Whether a request with a body must be refused before anything else: too many bodies are pending, and many of them are
   * of its connection.
   */
  refusesBody(connected: Connected): boolean {
    return this.#transfers.bodies.refuses(() => connectionOf(connected))
  }

  /** Whether so many bodies are pending that one must not be read only to be discarded. */
  get isCrowded(): boolean {
    return this.#transfers.bodies.isCrowded
  }

  /**
   * Bounds the receipt of a body: the number of pending ones, the memory and the pace.
   * @param bytes memory that it takes from the beginning
   * @param onAbort called at most once, possibly before this returns
   */
  receive(connected: Connected, bytes: number, onAbort: (reason: AbortReason) => void): Transfer {
    return this.transfer(onAbort, { bytes, bodyOf: () => connectionOf(connected) })
  }

  /** Bounds what a client sends or receives. @param onAbort called at most once, possibly before this returns */
  transfer(onAbort: (reason: AbortReason) => void, options: TransferOptions): Transfer {
    return new Transfer(this.#transfers, onAbort, options)
  }

  /**
   * Waits until a large body may be processed.
   * @param bytes its unpacked length
   * @returns leaves the queue; must be called even if the body is no longer wanted
   */
  enterBodyQueue(client: Client, bytes: number): Promise<() => void> {
    return this.#bodyQueue.enter(networkOfClient(client), bytes)
  }

  /** Reserves memory for a client, without a bound of pace. All clients share the function. @see MemoryBudget.reserve */
  readonly reserve: ReserveMemory = (what, bytes, abort, isSpare) =>
    this.#transfers.memory.reserve(what, bytes, abort, isSpare)

  /** Memory that is reserved for clients, in bytes. */
  get reservedBytes(): number {
    return this.#transfers.memory.bytes
  }

  /** What clients take now. */
  get taken(): { readonly streams: number; readonly connections: number; readonly memoryBytes: number } {
    return { streams: this.#streams.taken, connections: this.#sockets.taken, memoryBytes: this.reservedBytes }
  }

  /** Whether little memory is held for clients. */
  get isRoomy(): boolean {
    return this.#transfers.memory.bytes < this.settings.maxTransferBytes * ROOMY_SHARE
  }

  /**
   * Whether a short reply must be counted while its client does not take it: so many replies are pending that all of them
   * could take much if they were as long. @param length in UTF-16 code units
   */
  mustCount(listener: Listener | null, length: number): boolean {
    const most = (this.settings.maxTransferBytes * UNCOUNTED_SHARE) / MOST_BYTES_PER_UNIT
    const pending = listener?.pendingRequests ?? 0
    // Few requests need no look at the open streams among them.
    return pending * length > most && (pending - this.#streams.taken) * length > most
  }

  /** Disables the idle timeout while a promise is pending: a client that waits for its answer is not idle. */
  withoutIdleTimeout<T>(connected: Connected, work: Promise<T>): Promise<T> {
    this.disableIdleTimeout(connected)
    return work.finally(() => this.enableIdleTimeout(connected))
  }

  /** Disables the idle timeout: the request has arrived, and its answer may wait for a long read or for earlier writes. */
  disableIdleTimeout({ request, listener }: Connected): void {
    listener?.timeout(request, 0)
  }

  /**
   * Enables the idle timeout before the end of an answer: a client that does not read it is idle. An HTTP/1.1 connection
   * on which it stays disabled never becomes idle again.
   */
  enableIdleTimeout({ request, listener }: Connected): void {
    listener?.timeout(request, this.settings.idleSeconds)
  }

  /** Closes a connection that does not read. */
  abortConnection({ request, listener }: Connected): void {
    listener?.timeout(request, ABORT_SECONDS)
  }

  #checkAddress(rate: RateLimiter, client: Client): void {
    if (!rate.take(networkOfClient(client), performance.now())) throw new DholeError('quota')
  }
}

function counted(leave: () => void, answer: () => Awaitable<Response>): Awaitable<Response> {
  try {
    const reply = answer()
    if (reply instanceof Promise) return reply.finally(leave)
    leave()
    return reply
  } catch (thrown) {
    leave()
    throw thrown
  }
}

/** Enters a limit of addresses, and one of applications. @returns leaves both */
function enterBoth(
  all: ConcurrencyLimit,
  ofApplication: ConcurrencyLimit | undefined,
  client: Client,
  id: string,
): () => void {
  const leave = all.enter(() => networkOfClient(client))
  if (ofApplication === undefined) return leave
  try {
    const leaveApplication = ofApplication.enter(() => id)
    return () => {
      leave()
      leaveApplication()
    }
  } catch (full) {
    leave()
    throw full
  }
}

/** Limits only each application. */
function ofEach(most: number): ConcurrencyLimit | undefined {
  return most > 0 ? new ConcurrencyLimit({ most: 0, mostOfOne: most }) : undefined
}

/** Network of the client. Requests without a connection count as one network. */
function networkOfClient(client: Client): string {
  return networkOf(client.transport.addressOf(client) ?? '')
}
