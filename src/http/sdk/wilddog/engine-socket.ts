import type { ReserveMemory } from '../../../hub/mailbox.ts'
import type { EndCause } from '../session/carrier.ts'
import { causeOf, closeFor } from '../socket/close-codes.ts'
import { type FrameSocket, Outbox, type SentMessages } from '../socket/outbox.ts'
import type { EngineConnection, Transport } from './engine-connection.ts'
import type { EnginePolling } from './engine-polling.ts'
import { BadPacket, PROBE, PROBED, UPGRADE } from './packets.ts'

/** A WebSocket of the runtime. */
interface RawSocket extends FrameSocket {
  close(code: number, reason: string): void
  terminate(): void
}

/** What a socket needs of the service. */
export interface EngineSocketService {
  readonly reserve: ReserveMemory
  /** Time that a change to a WebSocket may take, in milliseconds. */
  readonly timeoutMs: number
  /** Called when the client takes too much memory. */
  readonly abort: () => void
}

/** One WebSocket, whose frames are packets. The runtime calls the methods `open`, `message`, `drain` and `close`. */
export class EngineSocket implements Transport {
  protected readonly connection: EngineConnection
  readonly #service: EngineSocketService
  #socket: RawSocket | undefined
  #outbox: Outbox | undefined

  constructor(connection: EngineConnection, service: EngineSocketService) {
    this.connection = connection
    this.#service = service
  }

  get room(): Promise<void> | undefined {
    return this.#outbox?.room
  }

  open(socket: RawSocket): void {
    const { reserve, abort } = this.#service
    this.#socket = socket
    // A packet is one frame, however long.
    this.#outbox = new Outbox(socket, reserve, abort, uncounted, itself)
    this.begin()
  }

  message(_: RawSocket, frame: string | Uint8Array): void {
    if (typeof frame === 'string') this.receive(frame)
    else this.connection.refuse(new BadPacket('packets are text'))
  }

  drain(): void {
    this.#outbox?.drained()
  }

  close(_: RawSocket, code: number): void {
    this.#outbox?.end()
    this.connection.lost(this, causeOf(code))
  }

  send(packet: string): Promise<void> | undefined {
    return this.#outbox?.send(packet)
  }

  end(cause: EndCause, reason: string): void {
    this.#outbox?.end()
    if (this.#socket !== undefined) closeFor(this.#socket, cause, reason)
  }

  protected begin(): void {
    this.connection.begin(this)
  }

  /** Takes a packet. */
  protected receive(packet: string): void {
    this.connection.receive(packet)
  }
}

/** What a WebSocket may take over. */
interface UpgradeParts {
  readonly connection: EngineConnection
  readonly polling: EnginePolling
  readonly session: { readonly ended: Promise<void> }
}

/** A WebSocket that a client of long polling tries. After a probe it takes the connection over. */
export class EngineUpgradeSocket extends EngineSocket {
  readonly #polling: EnginePolling
  readonly #leave: () => void
  readonly #timer: Timer
  #isProbed = false
  #hasTakenOver = false

  /** @param leave ends its count as a connection of its own; called at least once */
  constructor(parts: UpgradeParts, service: EngineSocketService, leave: () => void) {
    super(parts.connection, service)
    this.#polling = parts.polling
    this.#leave = leave
    this.#timer = setTimeout(() => this.end('away', 'the connection was not taken over'), service.timeoutMs)
    this.#timer.unref()
    void parts.session.ended.then(() => this.end('away', ''))
  }

  override close(socket: RawSocket, code: number): void {
    this.#decided()
    if (!this.#hasTakenOver) this.#polling.failed()
    super.close(socket, code)
  }

  protected override begin(): void {}

  protected override receive(packet: string): void {
    if (this.#hasTakenOver) super.receive(packet)
    else if (packet === PROBE) {
      this.#isProbed = true
      void this.send(PROBED)
      this.#polling.tried()
    } else if (packet === UPGRADE && this.#isProbed && this.connection.upgrade(this)) {
      this.#hasTakenOver = true
      this.#decided()
    } else this.end('not-understood', 'a packet comes before the upgrade')
  }

  /** It has taken over, or never will. */
  #decided(): void {
    clearTimeout(this.#timer)
    this.#leave()
  }
}

/** The connection counts messages. */
const uncounted: SentMessages = { sent: () => {} }

function* itself(packet: string): Generator<string, void> {
  yield packet
}
