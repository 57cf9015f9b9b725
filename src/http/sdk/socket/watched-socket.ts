import type { ClientLimits } from '../../limits/client-limits.ts'
import { type PingedSocket, type Pulse, SilentSockets } from './silent-sockets.ts'
import { UnfinishedFrames, type WatchedFrames } from './unfinished-frames.ts'

/** Share of the memory for clients that frames may take unseen. */
const UNSEEN_SHARE = 1 / 8
const MS = 1000
/** Allowance for what a connection takes of the process for its encryption, buffers and objects, in bytes. */
const CONNECTION_BYTES = 64 * 1024

/** What gets the events of a socket. */
export interface SocketEvents<S> {
  open?(socket: S): void
  message?(socket: S, frame: string | Uint8Array): void
  drain?(socket: S): void
  close?(socket: S, code: number, reason: string): void
}

/** What all sockets of a service are watched by. */
interface Watch {
  readonly frames: UnfinishedFrames
  readonly silent: SilentSockets
}

/** Passes the events of a socket on, counts its unfinished frames, and cuts it off when its client is silent. */
export class WatchedSocket<S extends PingedSocket> {
  readonly #events: SocketEvents<S>
  readonly #watch: Watch
  readonly #silenceMs: number
  #frames: WatchedFrames | undefined
  #pulse: Pulse | undefined

  /** @param silenceMs time in which a client may be silent, where it is more than that of the settings, in milliseconds */
  constructor(events: SocketEvents<S>, limits: ClientLimits, silenceMs = 0) {
    this.#events = events
    this.#watch = watchOf(limits)
    this.#silenceMs = silenceMs
  }

  open(socket: S): void {
    this.#frames = this.#watch.frames.watch(socket)
    this.#pulse = this.#watch.silent.watch(socket, this.#silenceMs)
    this.#events.open?.(socket)
  }

  message(socket: S, frame: string | Uint8Array): void {
    this.#frames?.message()
    this.#pulse?.heard()
    this.#events.message?.(socket, frame)
  }

  pong(): void {
    this.#frames?.answer()
    this.#pulse?.heard()
  }

  drain(socket: S): void {
    this.#pulse?.heard()
    this.#events.drain?.(socket)
  }

  close(socket: S, code: number, reason: string): void {
    if (this.#frames !== undefined) this.#watch.frames.forget(this.#frames)
    if (this.#pulse !== undefined) this.#watch.silent.forget(this.#pulse)
    this.#events.close?.(socket, code, reason)
  }
}

const watches = new WeakMap<ClientLimits, Watch>()

/** All listeners of a service share one. */
function watchOf(limits: ClientLimits): Watch {
  let found = watches.get(limits)
  if (found === undefined) {
    const { maxTransferBytes, socketSeconds } = limits.settings
    const read = () => {
      const { streams, connections, memoryBytes } = limits.taken
      return { used: process.memoryUsage.rss(), reserved: memoryBytes + (streams + connections) * CONNECTION_BYTES }
    }
    found = {
      frames: new UnfinishedFrames(limits.reserve, maxTransferBytes * UNSEEN_SHARE, maxTransferBytes, read),
      silent: new SilentSockets(socketSeconds * MS),
    }
    watches.set(limits, found)
  }
  return found
}
