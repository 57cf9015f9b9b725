import { control } from '../session/messages.ts'

/** A WebSocket that wants to take over a session that there is not: its client stays with long polling. */
export class ResetSocket {
  readonly #host: string

  constructor(host: string) {
    this.#host = host
  }

  open(socket: { sendText(text: string): number; close(code: number): void }): void {
    socket.sendText(control('r', this.#host))
    socket.close(1001)
  }

  message(): void {}
}
