import { expectStatus, type OnAcknowledged, type Server, type Witness } from './witness.ts'

/** Length of a string that is stored in chunks and written ahead of its commit. */
const LENGTH = 300_000
/** Every so often it deletes the text, and every so often it sets a priority. */
const DELETES = 5
const PRIORITIES = 3

/** Replaces a long text by others. */
export class TextClient implements Witness {
  readonly name: string
  readonly path = '/text'
  readonly #parameters: string
  readonly #onAcknowledged: OnAcknowledged
  #number = 0
  #version = 0
  #isUnderWay = false

  constructor(app: string, onAcknowledged: OnAcknowledged) {
    this.name = `${app} text`
    this.#parameters = `ns=${app}`
    this.#onAcknowledged = onAcknowledged
  }

  async act(server: Server): Promise<void> {
    this.#number++
    if (this.#number % PRIORITIES === 0 && textOf(this.#version) !== 'null') {
      const target = `${this.path}/.priority.json?${this.#parameters}`
      expectStatus(this.name, await server.call('PUT', target, { body: String(this.#number) }), 200)
    }
    this.#isUnderWay = true
    const target = `${this.path}.json?print=silent&${this.#parameters}`
    expectStatus(this.name, await server.call('PUT', target, { body: textOf(this.#version + 1) }), 204)
    this.#isUnderWay = false
    this.#onAcknowledged(this.name)
    this.#version++
  }

  async settle(server: Server): Promise<readonly string[]> {
    const { text } = await server.call('GET', `${this.path}.json?${this.#parameters}`)
    const isNext = this.#isUnderWay && text === textOf(this.#version + 1)
    const problems = isNext ? [] : this.problems(text, this.#version, 0)
    // What a read shows is as good as acknowledged.
    if (isNext) this.#onAcknowledged(this.name)
    this.#version += isNext ? 1 : 0
    this.#isUnderWay = false
    return problems
  }

  /** @param version that was acknowledged. @param more versions behind it that may be there */
  problems(text: string, version: number, more = 1): readonly string[] {
    for (let allowed = version; allowed <= version + more; allowed++) if (text === textOf(allowed)) return []
    return [`${this.name}: ${text.slice(0, 60)}… of ${text.length} characters, acknowledged version ${version}`]
  }
}

function textOf(version: number): string {
  return version % DELETES === 0 ? 'null' : JSON.stringify(`${version} `.padEnd(LENGTH + version, `${version}`))
}
