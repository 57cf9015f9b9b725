import type { ClientLimits } from '../../limits/client-limits.ts'
import { UnfinishedFrames, type WatchedFrames } from './unfinished-frames.ts'

/** Share of the memory for clients that frames may take unseen. */
const UNSEEN_SHARE = 1 / 8

/** A WebSocket of the runtime. */
interface RawSocket {
  ping(): unknown
  terminate(): void
}

/** What gets the events of a socket. */
export interface SocketEvents<S> {
  open?(socket: S): void
  message?(socket: S, frame: string | Uint8Array): void
  drain?(socket: S): void
  close?(socket: S, code: number, reason: string): void
}

/** Passes the events of a socket on, and counts its unfinished frames. */
export class WatchedSocket<S extends RawSocket> {
  readonly #events: SocketEvents<S>
  readonly #frames: UnfinishedFrames
  #watched: WatchedFrames | undefined

  constructor(events: SocketEvents<S>, limits: ClientLimits) {
    this.#events = events
    this.#frames = framesOf(limits)
  }

  open(socket: S): void {
    this.#watched = this.#frames.watch(socket)
    this.#events.open?.(socket)
  }

  message(socket: S, frame: string | Uint8Array): void {
    this.#watched?.heard()
    this.#events.message?.(socket, frame)
  }

  pong(): void {
    this.#watched?.heard()
  }

  drain(socket: S): void {
    this.#events.drain?.(socket)
  }

  close(socket: S, code: number, reason: string): void {
    if (this.#watched !== undefined) this.#frames.forget(this.#watched)
    this.#events.close?.(socket, code, reason)
  }
}

const frames = new WeakMap<ClientLimits, UnfinishedFrames>()

/** All listeners of a service share one. */
function framesOf(limits: ClientLimits): UnfinishedFrames {
  let found = frames.get(limits)
  if (found === undefined) {
    const read = () => ({ used: process.memoryUsage.rss(), reserved: limits.reservedBytes })
    found = new UnfinishedFrames(limits.reserve, limits.settings.maxTransferBytes * UNSEEN_SHARE, read)
    frames.set(limits, found)
  }
  return found
}
