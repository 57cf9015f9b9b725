import { networkOf } from '../../auth/network.ts'
import { DholeError } from '../../error.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { type Connected, connectionOf } from '../connection/peer.ts'
import type { Transport } from '../connection/transport.ts'
import { BodyQueue } from './body-queue.ts'
import { ConcurrencyLimit, type Full } from './concurrency-limit.ts'
import { MemoryBudget, type Reservation } from './memory-budget.ts'
import { PendingBodies, type PendingBody } from './pending-bodies.ts'
import { RateLimiter } from './rate-limiter.ts'
import { Timeouts } from './timeouts.ts'

/** What clients may take of the service. Of the counts 0 is any number. */
export interface ClientLimitSettings {
  /** Requests a second from one address; twice that at once. */
  readonly ratePerAddress: number
  /** Requests a second to one application; twice that at once. */
  readonly ratePerApp: number
  /** Requests at once that are not answered yet, streams among them. */
  readonly maxRequests: number
  /** The same from one address. */
  readonly maxRequestsPerAddress: number
  /** The same to one application. */
  readonly maxRequestsPerApp: number
  /** Streams at once. */
  readonly maxStreams: number
  /** The same from one address. */
  readonly maxStreamsPerAddress: number
  /** The same to one application. */
  readonly maxStreamsPerApp: number
  /** Bodies at once that have not come yet. */
  readonly maxBodies: number
  /** Time a connection may be silent, in seconds. */
  readonly idleSeconds: number
  /** Time that a body may take to come, and a long answer to go, beside a second for every 16 KiB, in seconds. */
  readonly transferSeconds: number
  /** Memory for bodies that are coming, long answers that are going, what waits for streams and the keys of filtered ones, in bytes. */
  readonly maxTransferBytes: number
}

const MEBIBYTE = 1024 * 1024

export const defaultClientLimits: ClientLimitSettings = {
  ratePerAddress: 0,
  ratePerApp: 0,
  maxRequests: 0,
  maxRequestsPerAddress: 0,
  maxRequestsPerApp: 0,
  maxStreams: 20_000,
  maxStreamsPerAddress: 1000,
  maxStreamsPerApp: 0,
  maxBodies: 4096,
  idleSeconds: 30,
  transferSeconds: 30,
  maxTransferBytes: 1024 * MEBIBYTE,
}

/** The listener looks at its connections every four seconds: shorter times would end those that are not idle. */
export const LEAST_IDLE_SECONDS = 8
export const MOST_IDLE_SECONDS = 255
/** Least speed of a body and of a long answer: that which the listener asks of HTTP/1.1. */
const LEAST_BYTES_PER_SECOND = 16 * 1024
/** A connection that does not read is broken off after so many seconds. */
const CUT_SECONDS = 2

/** Client that the limits count. */
interface Asker extends Connected {
  readonly transport: Transport
}

/**
 * What keeps clients from taking all there is of the service. One for all listeners of it.
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
  readonly #bodies: PendingBodies
  #isGivingUp = false
  readonly #memory: MemoryBudget
  readonly #bodyQueue = new BodyQueue()
  readonly #timeouts = new Timeouts()

  constructor(settings: ClientLimitSettings = defaultClientLimits) {
    const { ratePerAddress, ratePerApp, maxRequests, maxRequestsPerAddress, maxRequestsPerApp, maxStreamsPerApp } =
      settings
    this.settings = settings
    this.#perAddress = ratePerAddress > 0 ? new RateLimiter(ratePerAddress) : undefined
    this.#perApp = ratePerApp > 0 ? new RateLimiter(ratePerApp) : undefined
    const isCounting = maxRequests > 0 || maxRequestsPerAddress > 0
    this.#requests = isCounting
      ? new ConcurrencyLimit({ most: maxRequests, mostOfOne: maxRequestsPerAddress })
      : undefined
    this.#requestsOfApp = ofEach(maxRequestsPerApp)
    this.#streamsOfApp = ofEach(maxStreamsPerApp)
    this.#streams = new ConcurrencyLimit({ most: settings.maxStreams, mostOfOne: settings.maxStreamsPerAddress })
    this.#bodies = new PendingBodies(settings.maxBodies)
    this.#memory = new MemoryBudget(settings.maxTransferBytes)
  }

  /**
   * Answers a request, unless its address asks too often or too much is under way. It is under way until its answer is
   * known.
   * @throws `quota`, `too-busy`, and what `answer` throws
   */
  within<A extends Asker>(asker: A, answer: (asker: A) => Awaitable<Response>): Awaitable<Response> {
    if (this.#perAddress !== undefined) this.#checkAddress(this.#perAddress, asker)
    if (this.#requests === undefined) return answer(asker)
    const leave = placeOf(this.#requests, () => networkOfAsker(asker))
    return counted(leave, () => answer(asker))
  }

  /**
   * Answers a request to an application, unless it is asked too often or too much of it is under way.
   * @throws `quota`, and what `answer` throws
   */
  withinApplication<A>(id: string, asker: A, answer: (asker: A) => Awaitable<Response>): Awaitable<Response> {
    if (this.#perApp !== undefined && !this.#perApp.take(id, performance.now())) throw new DholeError('quota')
    if (this.#requestsOfApp === undefined) return answer(asker)
    const leave = placeOf(this.#requestsOfApp, () => id)
    return counted(leave, () => answer(asker))
  }

  /**
   * Counts a stream.
   * @returns to be called when it is over, at least once
   * @throws `quota`, `too-busy`
   */
  enterStream(asker: Asker, applicationId: string): () => void {
    const leave = placeOf(this.#streams, () => networkOfAsker(asker))
    if (this.#streamsOfApp === undefined) return leave
    try {
      const leaveApplication = placeOf(this.#streamsOfApp, () => applicationId)
      return () => {
        leave()
        leaveApplication()
      }
    } catch (full) {
      leave()
      throw full
    }
  }

  /**
   * Asked before anything is done for a request with a body: whether there are too many bodies to wait for, and some are
   * of its connection.
   */
  refusesBody(connected: Connected): boolean {
    return this.#bodies.refuses(() => connectionOf(connected))
  }

  /**
   * Waits for a body.
   * @param abort called at most once, when there are too many of them
   * @throws `too-busy` where `refusesBody` holds
   */
  enterBody(connected: Connected, abort: () => void): PendingBody {
    const body = this.#bodies.enter(() => connectionOf(connected), abort)
    if (body === undefined) throw new DholeError('too-busy')
    this.#giveUpLater()
    return body
  }

  /** Whether there are so many bodies to wait for that none should be that nobody wants. */
  get isCrowded(): boolean {
    return this.#bodies.isCrowded
  }

  /**
   * Waits until a large body may be worked on.
   * @param bytes its unpacked length
   * @returns to be called when it has been used, or is not wanted any more
   * @see BodyQueue.enter
   */
  enterBodyQueue(asker: Asker, bytes: number): Promise<() => void> {
    return this.#bodyQueue.enter(networkOfAsker(asker), bytes)
  }

  /** Memory held for a client. @see MemoryBudget.hold */
  reserve(what: object, bytes: number, abort: () => void, isSpare?: boolean): Reservation {
    return this.#memory.reserve(what, bytes, abort, isSpare)
  }

  /**
   * A transfer begins.
   * @param bytesSoFar how far it has come
   * @param onTimeout called once, when it is too slow
   * @returns to be called when it is over
   */
  expect(bytesSoFar: () => number, onTimeout: () => void): () => void {
    const begun = performance.now()
    let callOff: () => void
    const look = () => {
      const seconds = this.settings.transferSeconds + bytesSoFar() / LEAST_BYTES_PER_SECOND
      const left = begun + seconds * 1000 - performance.now()
      if (left > 0) callOff = this.#timeouts.set(left, look)
      else onTimeout()
    }
    callOff = this.#timeouts.set(this.settings.transferSeconds * 1000, look)
    return () => callOff()
  }

  /** What is answered once this is kept: a client that waits for it is not idle. */
  inSilence<T>(asker: Connected, work: Promise<T>): Promise<T> {
    this.disableIdleTimeout(asker)
    return work.finally(() => this.enableIdleTimeout(asker))
  }

  /**
   * The request is here whole, and its answer may have to wait: for a long read, or for the writes before it. The
   * listener must not take the connection for an idle one meanwhile.
   */
  disableIdleTimeout({ request, listener }: Connected): void {
    listener?.timeout(request, 0)
  }

  /**
   * The answer goes from here on: a client that does not take it is idle, as it was not while it waited. Comes before
   * the end of each answer after `disableIdleTimeout`: over HTTP/1.1 the connection would never be idle again.
   */
  enableIdleTimeout({ request, listener }: Connected): void {
    listener?.timeout(request, this.settings.idleSeconds)
  }

  /** Breaks a connection off that does not read. */
  abortConnection({ request, listener }: Connected): void {
    listener?.timeout(request, CUT_SECONDS)
  }

  /** In turns to come, until there are not too many bodies any more. */
  #giveUpLater(): void {
    if (this.#isGivingUp || !this.#bodies.areTooMany) return
    this.#isGivingUp = true
    setImmediate(() => {
      this.#isGivingUp = false
      this.#bodies.giveUp()
      this.#giveUpLater()
    })
  }

  #checkAddress(rate: RateLimiter, asker: Asker): void {
    if (!rate.take(networkOfAsker(asker), performance.now())) throw new DholeError('quota')
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

/** So many for each application, and any number of them. */
function ofEach(most: number): ConcurrencyLimit | undefined {
  return most > 0 ? new ConcurrencyLimit({ most: 0, mostOfOne: most }) : undefined
}

function placeOf(places: ConcurrencyLimit, holderOf: () => string): () => void {
  const place = places.take(holderOf)
  if (typeof place === 'string') throw fullError(place)
  return place
}

function fullError(full: Full): DholeError {
  return new DholeError(full === 'one' ? 'quota' : 'too-busy')
}

/** Requests that come by no connection of their own are counted as those of one. */
function networkOfAsker(asker: Asker): string {
  return networkOf(asker.transport.addressOf(asker) ?? '')
}
