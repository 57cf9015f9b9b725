/** Many clients that send the requests of one mix. */
import { KeepAliveClient } from '../load/keep-alive-client.ts'
import type { Mix, Outgoing } from './mix.ts'
import { CYCLE, type Kind } from './schedule.ts'

/** What the clients saw. */
export interface Sight {
  /** From sending a request of that kind to the last byte of its answer, in milliseconds. */
  readonly times: Readonly<Record<Kind, number[]>>
  /** Writes that streams are told of. */
  readonly watchedWrites: number
  readonly ms: number
}

export class Crowd implements Disposable {
  readonly #clients: readonly KeepAliveClient[]

  private constructor(clients: readonly KeepAliveClient[]) {
    this.#clients = clients
  }

  /** Every client has asked once already, so that no connection is new. */
  static async open(url: string, mix: Mix, count: number): Promise<Crowd> {
    const clients: KeepAliveClient[] = []
    while (clients.length < count) {
      const client = await KeepAliveClient.connect(url)
      await ask(client, mix.nextGet())
      clients.push(client)
    }
    return new Crowd(clients)
  }

  /**
   * Each client sends its next request when it has its answer: for so long, and until every kind was sent.
   * @throws when a request is not answered with 200
   */
  async send(seconds: number, next: () => Outgoing): Promise<Sight> {
    const times = { get: [] as number[], put: [] as number[], query: [] as number[] }
    const start = performance.now()
    const end = start + seconds * 1000
    let sent = 0
    let watchedWrites = 0
    const work = async (client: KeepAliveClient) => {
      while (performance.now() < end || sent < CYCLE) {
        const outgoing = next()
        sent++
        times[outgoing.kind].push(await ask(client, outgoing))
        if (outgoing.isWatched) watchedWrites++
      }
    }
    await Promise.all(this.#clients.map(work))
    return { times, watchedWrites, ms: performance.now() - start }
  }

  [Symbol.dispose](): void {
    for (const client of this.#clients) client.close()
  }
}

/** @returns milliseconds until all of the answer is there */
async function ask(client: KeepAliveClient, { text }: Outgoing): Promise<number> {
  const sentAt = performance.now()
  const status = await client.send(text)
  const ms = performance.now() - sentAt
  if (status !== 200) throw new Error(`${text} was answered with ${status}`)
  return ms
}
