import type { Socket } from 'node:net'
import { type AttackName, attacks } from './attacks.ts'

/** Connections from one address: there are not more ports than about twice that. */
const PER_ADDRESS = 10_000

/** Between two looks at who is to come. */
const TICK_MS = 10

/** What a swarm is made of. */
export interface SwarmOptions {
  readonly port: number
  readonly clients: number
  /** Dealt out in turn. */
  readonly kinds: readonly AttackName[]
}

/** How a swarm comes that does not come all at once. */
export interface Pace {
  /** Connections begun in a second, evenly; at least 100. Who was hung up on comes again, behind those who wait. */
  readonly perSecond: number
}

/** Hostile clients. */
export class Swarm {
  readonly #options: SwarmOptions
  readonly #open = new Map<Socket, AttackName>()
  #begun = 0
  #isOver = false

  constructor(options: SwarmOptions) {
    this.#options = options
  }

  /** Connections that the server has not ended. */
  get open(): number {
    return this.#open.size
  }

  /** All that were ever begun. */
  get begun(): number {
    return this.#begun
  }

  /** How many of some kinds are open, as far as they know. */
  openOf(kinds: ReadonlySet<AttackName>): number {
    return [...this.#open.values()].filter((kind) => kinds.has(kind)).length
  }

  /** All at once. */
  start(): void {
    for (let client = 0; client < this.#options.clients; client++) this.#attack(client)
  }

  /** One after the other, and again and again. Resolves when everybody has come once. */
  async come({ perSecond }: Pace): Promise<void> {
    const waiting = Array.from({ length: this.#options.clients }, (_, client) => client)
    const inTick = Math.round((perSecond * TICK_MS) / 1000)
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setInterval(() => {
      if (this.#isOver) return clearInterval(timer)
      for (const client of waiting.splice(0, inTick)) this.#attack(client, () => waiting.push(client))
      if (this.#begun >= this.#options.clients) resolve()
    }, TICK_MS)
    return promise
  }

  stop(): void {
    this.#isOver = true
    for (const socket of this.#open.keys()) socket.destroy()
  }

  #attack(client: number, hungUp: () => void = () => {}): void {
    const { kinds, port } = this.#options
    const kind = kinds[client % kinds.length]!
    const from = `127.0.0.${2 + Math.floor(client / PER_ADDRESS)}`
    const socket = attacks[kind]({ port, from })
    this.#begun++
    this.#open.set(socket, kind)
    socket.on('close', () => {
      this.#open.delete(socket)
      hungUp()
    })
  }
}
