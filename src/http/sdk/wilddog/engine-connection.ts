import type { Carrier, EndCause } from '../session/carrier.ts'
import type { Session } from '../session/session.ts'
import { BadPacket, CLOSE, MESSAGE, messageIn, NOOP, openPacket, PING, PONG, packetOf } from './packets.ts'

/** Carries packets to a client. */
export interface Transport {
  /** @returns a promise if there is no room for more, which resolves when there is */
  send(packet: string): Promise<void> | undefined
  /** A promise of room for more; `undefined` if there is some. */
  readonly room: Promise<void> | undefined
  /** Ends the connection. */
  end(cause: EndCause, reason: string): void
}

/** A transport that can be left for another one. */
export interface EarlyTransport extends Transport {
  /** Ends it. @returns the packets that it has not sent */
  leave(): readonly string[]
}

/**
 * A connection of Engine.IO, which carries one session of an SDK of Wilddog: by long polling, by a WebSocket, or first by the
 * one and then by the other.
 * @see docs/reference/sdk-protocol.md#wilddogs-sdks
 */
export class EngineConnection implements Carrier {
  readonly id: string = crypto.randomUUID()
  readonly #session: Session
  readonly #onEnded: () => void
  #transport: Transport | undefined
  #early: EarlyTransport | undefined
  #isOver = false

  /** @param onEnded called once, when no more packets are taken */
  constructor(session: Session, onEnded: () => void = () => {}) {
    this.#session = session
    this.#onEnded = onEnded
  }

  get room(): Promise<void> | undefined {
    return this.#transport?.room
  }

  /** Opens the connection. */
  begin(transport: Transport): void {
    this.#transport = transport
    this.#open([])
  }

  /** As `begin`, with a transport that a WebSocket may take over from. */
  beginEarly(transport: EarlyTransport): void {
    this.#transport = transport
    this.#early = transport
    this.#open(['websocket'])
  }

  /** Goes on with another transport. @returns whether it can */
  upgrade(transport: Transport): boolean {
    if (this.#isOver || this.#early === undefined) return false
    const packets = this.#early.leave()
    this.#early = undefined
    this.#transport = transport
    for (const packet of packets) if (packet !== NOOP) void transport.send(packet)
    return true
  }

  /** Takes a packet of the client. */
  receive(packet: string): void {
    if (this.#isOver) return
    try {
      this.#take(packet)
    } catch (error) {
      this.refuse(error)
    }
  }

  /** Ends the session because of what the client has sent. */
  refuse(error: unknown): void {
    this.#session.refuse(error instanceof BadPacket ? error.message : 'a packet is not understood')
  }

  /** A transport was lost: with it the connection, if it speaks on that one. */
  lost(transport: Transport): void {
    if (transport === this.#transport) this.#leave()
  }

  send(message: string): Promise<void> | undefined {
    return this.#transport?.send(packetOf(message))
  }

  end(cause: EndCause, reason: string): void {
    this.#finish()
    this.#transport?.end(cause, reason)
  }

  #open(upgrades: readonly string[]): void {
    void this.#transport?.send(openPacket(this.id, upgrades))
    this.#session.begin(this)
  }

  #take(packet: string): void {
    const data = packet.slice(1)
    switch (packet[0]) {
      case MESSAGE: {
        const message = messageIn(data)
        if (message === undefined) return
        if (message.length > this.#session.maxLength) throw new BadPacket('the message is too long')
        this.#session.receive(message)
        return
      }
      case PING:
        void this.#transport?.send(PONG + data.slice(0, LONGEST_PING))
        return
      case PONG:
      case NOOP:
        return
      case CLOSE:
        this.#leave()
        this.#transport?.end('away', '')
        return
      default:
        throw new BadPacket('a packet has an unknown type')
    }
  }

  /** The client has left. */
  #leave(): void {
    this.#finish()
    this.#session.carrierLost(this)
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#onEnded()
  }
}

/** Characters of a ping that are repeated in its answer. */
const LONGEST_PING = 16
