import { expectStatus, type OnAcknowledged, type Server, type Witness } from './witness.ts'

/** A number that many clients add to, each on the condition that nobody else has meanwhile. */
export class Counter implements Witness {
  readonly name: string
  readonly path = '/counter'
  readonly #target: string
  readonly #onAcknowledged: OnAcknowledged
  #least = 0
  #begun = 0

  constructor(app: string, onAcknowledged: OnAcknowledged) {
    this.name = `${app} counter`
    this.#target = `/counter.json?ns=${app}`
    this.#onAcknowledged = onAcknowledged
  }

  /** Most that it may be. */
  get most(): number {
    return this.#least + this.#begun
  }

  async act(server: Server): Promise<void> {
    const read = await server.call('GET', this.#target, { headers: { 'X-Firebase-ETag': 'true' } })
    expectStatus(`GET ${this.#target}`, read, 200)
    const next = (JSON.parse(read.text) ?? 0) + 1
    this.#begun++
    const headers = { 'if-match': read.headers.get('etag') ?? '' }
    const answer = await server.call('PUT', this.#target, { body: String(next), headers })
    expectStatus(`PUT ${this.#target}`, answer, 200, 412)
    this.#begun--
    if (answer.status !== 200) return
    this.#onAcknowledged(this.name)
    this.#least++
  }

  async settle(server: Server): Promise<readonly string[]> {
    const answer = await server.call('GET', this.#target)
    expectStatus(`GET ${this.#target}`, answer, 200)
    const value = Number(JSON.parse(answer.text))
    const problems = this.problems(value, this.#least)
    // What a read shows is as good as acknowledged.
    for (let more = this.#least; more < value; more++) this.#onAcknowledged(this.name)
    this.#least = value
    this.#begun = 0
    return problems
  }

  /** @param least how often adding to it was acknowledged */
  problems(value: number, least: number): readonly string[] {
    if (value >= least && value <= this.most) return []
    return [`${this.name}: is ${value}, acknowledged ${least}, at most ${this.most}`]
  }
}
