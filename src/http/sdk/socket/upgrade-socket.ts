import type { Connection } from '../connection/connection.ts'
import type { NextCarrier } from '../session/carrier.ts'
import { control, controlIn } from '../session/messages.ts'
import { Socket, type SocketService } from './socket.ts'

/** Maximum length of what a client sends before the session is handed over, in UTF-16 code units. */
const MOST_EARLY = 64 * 1024

/**
 * A WebSocket that takes over a session from long polling. Until the client has sent its last message there, its messages
 * here wait. It counts as a connection of its own until then, and is closed when that takes too long.
 */
export class UpgradeSocket extends Socket implements NextCarrier {
  readonly #early: string[] = []
  readonly #leave: () => void
  readonly #timer: Timer
  #earlyLength = 0
  #hasTakenOver = false

  /** @param leave ends the count; called at least once */
  constructor(connection: Connection, service: SocketService, leave: () => void) {
    super(connection, service)
    this.#leave = leave
    this.#timer = setTimeout(() => this.end('away', 'the session was not handed over'), service.timeoutMs)
    this.#timer.unref()
    void this.session.ended.then(() => this.end('away', ''))
  }

  protected override get isCarrier(): boolean {
    return this.#hasTakenOver
  }

  protected override begin(): void {
    void this.send(control('a', {}))
  }

  takeOver(): void {
    this.#hasTakenOver = true
    this.connection.changeCarrier('websocket')
    this.stopped()
    for (const text of this.#early.splice(0)) this.session.receive(text)
  }

  protected override stopped(): void {
    clearTimeout(this.#timer)
    this.#leave()
  }

  protected override receive(text: string): void {
    if (this.#hasTakenOver) {
      this.session.receive(text)
      return
    }
    const type = controlIn(text)
    if (type === 'p') void this.send(control('o', {}))
    else if (type === 'a') this.session.upgrade(this)
    else {
      this.#early.push(text)
      this.#earlyLength += text.length
      if (this.#earlyLength > MOST_EARLY) this.session.refuse('too much before the session is handed over', 'too-much')
    }
  }
}
