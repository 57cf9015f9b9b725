import type { NextCarrier } from '../session/carrier.ts'
import { control, controlIn } from '../session/messages.ts'
import { Socket } from './socket.ts'

/** Maximum length of what a client sends before the session is handed over, in UTF-16 code units. */
const MOST_EARLY = 64 * 1024

/**
 * A WebSocket that takes over a session from long polling. Until the client has sent its last message there, its messages
 * here wait.
 */
export class UpgradeSocket extends Socket implements NextCarrier {
  readonly #early: string[] = []
  #earlyLength = 0
  #hasTakenOver = false

  protected override begin(): void {
    void this.send(control('a', {}))
  }

  takeOver(): void {
    this.#hasTakenOver = true
    for (const text of this.#early.splice(0)) this.session.receive(text)
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
      if (this.#earlyLength > MOST_EARLY) this.session.refuse('too much before the session is handed over')
    }
  }
}
