import type { ReserveMemory } from '../../../hub/mailbox.ts'
import type { EndCause } from '../session/carrier.ts'
import { type FrameSocket, Outbox } from '../socket/outbox.ts'
import type { EngineConnection, Transport } from './engine-connection.ts'
import type { EnginePolling } from './engine-polling.ts'
import { BadPacket, PROBE, PROBED, UPGRADE } from './packets.ts'

/** Close codes. A client that is too slow would not read one. */
const GOING_AWAY = 1001
const PROTOCOL_ERROR = 1002

/** A WebSocket of the runtime. */
interface RawSocket extends FrameSocket {
  close(code: number, reason: string): void
  terminate(): void
}

/** What a socket needs of the service. */
export interface EngineSocketService {
  readonly reserve: ReserveMemory
  /** Called with the length of each frame that was passed to the connection. */
  readonly onSent: (length: number) => void
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
    const { reserve, onSent, abort } = this.#service
    this.#socket = socket
    // A packet is one frame, however long.
    this.#outbox = new Outbox(socket, reserve, abort, onSent, itself)
    this.begin()
  }

  message(_: RawSocket, frame: string | Uint8Array): void {
    if (typeof frame === 'string') this.receive(frame)
    else this.connection.refuse(new BadPacket('packets are text'))
  }

  drain(): void {
    this.#outbox?.drained()
  }

  close(): void {
    this.#outbox?.end()
    this.connection.lost(this)
  }

  send(packet: string): Promise<void> | undefined {
    return this.#outbox?.send(packet)
  }

  end(cause: EndCause, reason: string): void {
    this.#outbox?.end()
    if (cause === 'too-slow') this.#socket?.terminate()
    else this.#socket?.close(cause === 'away' ? GOING_AWAY : PROTOCOL_ERROR, reason)
  }

  protected begin(): void {
    this.connection.begin(this)
  }

  /** Takes a packet. */
  protected receive(packet: string): void {
    this.connection.receive(packet)
  }
}

/** A WebSocket that a client of long polling tries. After a probe it takes the connection over. */
export class EngineUpgradeSocket extends EngineSocket {
  readonly #polling: EnginePolling
  #isProbed = false
  #hasTakenOver = false

  constructor(connection: EngineConnection, polling: EnginePolling, service: EngineSocketService) {
    super(connection, service)
    this.#polling = polling
  }

  override close(): void {
    if (!this.#hasTakenOver) this.#polling.failed()
    super.close()
  }

  protected override begin(): void {}

  protected override receive(packet: string): void {
    if (this.#hasTakenOver) super.receive(packet)
    else if (packet === PROBE) {
      this.#isProbed = true
      void this.send(PROBED)
      this.#polling.tried()
    } else if (packet === UPGRADE && this.#isProbed && this.connection.upgrade(this)) this.#hasTakenOver = true
    else this.end('not-understood', 'a packet comes before the upgrade')
  }
}

function* itself(packet: string): Generator<string, void> {
  yield packet
}
