import type { Socket } from 'node:net'
import { type AttackName, attacks } from './attacks.ts'

/** Connections from one address: there are not more ports than about twice that. */
const PER_ADDRESS = 10_000

/** What a swarm is made of. */
export interface SwarmOptions {
  readonly port: number
  readonly clients: number
  /** Dealt out in turn. */
  readonly kinds: readonly AttackName[]
  /** Connections begun in a second. Default: all at once. */
  readonly perSecond?: number
  /** Whether another client comes for each that was hung up on. Default: no. */
  readonly insists?: boolean
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

  async start(): Promise<void> {
    const { clients, perSecond = Number.POSITIVE_INFINITY } = this.#options
    const begun = performance.now()
    for (let client = 0; client < clients && !this.#isOver; client++) {
      this.#attack(client)
      const ahead = (client * 1000) / perSecond - (performance.now() - begun)
      if (ahead > 0) await Bun.sleep(ahead)
    }
  }

  stop(): void {
    this.#isOver = true
    for (const socket of this.#open.keys()) socket.destroy()
  }

  #attack(client: number): void {
    const { kinds, port, insists } = this.#options
    const kind = kinds[client % kinds.length]!
    const from = `127.0.0.${2 + Math.floor(client / PER_ADDRESS)}`
    const socket = attacks[kind]({ port, from })
    this.#begun++
    this.#open.set(socket, kind)
    socket.on('close', () => {
      this.#open.delete(socket)
      if (insists && !this.#isOver) this.#attack(client)
    })
  }
}
