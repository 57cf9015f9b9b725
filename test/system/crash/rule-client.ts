import { SECRET } from '../../support/https-server.ts'
import { expectStatus, type OnAcknowledged, type Server, type Witness } from './witness.ts'

const TEXT = (version: number) => `{"rules":{".read":true,".write":true,"version${version}":{".validate":true}}}`

/** Replaces the rules by others that allow the same. */
export class RuleClient implements Witness {
  readonly name: string
  readonly #target: string
  readonly #onAcknowledged: OnAcknowledged
  #version = 0
  #isUnderWay = false

  constructor(app: string, onAcknowledged: OnAcknowledged) {
    this.name = `${app} rules`
    this.#target = `/.settings/rules.json?ns=${app}&auth=${encodeURIComponent(SECRET)}`
    this.#onAcknowledged = onAcknowledged
  }

  async act(server: Server): Promise<void> {
    this.#isUnderWay = true
    expectStatus(this.name, await server.call('PUT', this.#target, { body: TEXT(this.#version + 1) }), 200)
    this.#isUnderWay = false
    this.#onAcknowledged(this.name)
    this.#version++
  }

  async settle(server: Server): Promise<readonly string[]> {
    const { text } = await server.call('GET', this.#target)
    const version = versionOf(text)
    const most = this.#version + (this.#isUnderWay ? 1 : 0)
    const isKept = version >= this.#version && version <= most
    const problems = isKept ? [] : [`${this.name}: of version ${version}, acknowledged ${this.#version}`]
    // What a read shows is as good as acknowledged.
    if (version > this.#version) this.#onAcknowledged(this.name)
    this.#version = version
    this.#isUnderWay = false
    return problems
  }
}

/** Version of rules, 0 of those that the application began with. */
export function versionOf(text: string | undefined): number {
  return Number(/"version(\d+)"/.exec(text ?? '')?.[1] ?? 0)
}
