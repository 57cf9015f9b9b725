/** Has a server publish: one order after the other. */
import type { Socket } from 'bun'
import { stampedText } from './stream-message.ts'

export interface Publisher {
  /** Resolves when the server says that so many messages are on their way. */
  publish(count: number): Promise<void>
}

/** Gives orders to `targets/control.ts`. */
export class Control implements Publisher {
  #answered = Promise.withResolvers<void>()
  #socket: Socket | undefined

  static async connect(port: number): Promise<Control> {
    const control = new Control()
    control.#socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: { data: () => control.#answered.resolve() },
    })
    return control
  }

  publish(count: number): Promise<void> {
    return this.#order(`publish ${count}`)
  }

  /** Throws away what nothing refers to any more. */
  collect(): Promise<void> {
    return this.#order('collect')
  }

  #order(order: string): Promise<void> {
    this.#answered = Promise.withResolvers<void>()
    this.#socket?.write(order)
    return this.#answered.promise
  }
}

/** Posts each message to an address. */
export class Poster implements Publisher {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  async publish(count: number): Promise<void> {
    for (let each = 0; each < count; each++) {
      const response = await fetch(this.#url, { method: 'POST', body: stampedText() })
      await response.text()
      if (!response.ok) throw new Error(`${this.#url}: ${response.status}`)
    }
  }
}
