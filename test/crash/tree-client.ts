import type { Counter } from './counter.ts'
import type { Random } from './random.ts'
import { type Keys, Region, type RegionChange } from './region.ts'
import { type Step, stepOf } from './steps.ts'
import { expectStatus, type OnAcknowledged, type Server, UnexpectedAnswer, type Witness } from './witness.ts'

export interface TreeClientParts {
  readonly app: string
  /** Key of its region below `/regions`. */
  readonly key: string
  readonly random: Random
  readonly counter: Counter
  readonly onAcknowledged: OnAcknowledged
  readonly keepsAll: boolean
}

/** Writes to a region of its own in every way there is. */
export class TreeClient implements Witness {
  readonly name: string
  readonly path: string
  readonly region: Region
  readonly #parts: TreeClientParts
  #number = 0

  constructor(parts: TreeClientParts) {
    this.#parts = parts
    this.name = `${parts.app}/${parts.key}`
    this.path = `/regions/${parts.key}`
    this.region = new Region(parts.keepsAll)
  }

  act(server: Server): Promise<void> {
    return this.#perform(server, stepOf(this.#parts.random, ++this.#number))
  }

  async settle(server: Server): Promise<readonly string[]> {
    const answer = await server.call('GET', this.target([]))
    expectStatus(`${this.name}: GET`, answer, 200)
    const before = this.region.acknowledged
    const problem = this.region.settle(answer.text)
    // What a read shows is as good as acknowledged.
    if (this.region.acknowledged > before) this.#parts.onAcknowledged(this.name)
    return problem === undefined ? [] : [`${this.name}: ${problem}`]
  }

  /** Writes something that nobody has written before, so that who listens knows when all is told. */
  async mark(server: Server): Promise<string> {
    const mark = `mark ${++this.#number}`
    await this.#perform(server, { kind: 'put', keys: ['mark'], json: mark })
    return mark
  }

  /** Target of a place of its region. */
  target(keys: Keys, parameters = ''): string {
    return `${[this.path, ...keys].join('/')}.json?ns=${this.#parts.app}${parameters}`
  }

  async #perform(server: Server, step: Step): Promise<void> {
    switch (step.kind) {
      case 'put': {
        const change: RegionChange = { kind: 'write', writes: [[step.keys, step.json]] }
        return this.#send(server, 'PUT', this.target(step.keys), change, { body: JSON.stringify(step.json) })
      }
      case 'delete':
        return this.#send(server, 'DELETE', this.target(step.keys), { kind: 'write', writes: [[step.keys, null]] })
      case 'patch': {
        const body = Object.fromEntries(step.members.map(([keys, json]) => [keys.join('/'), json]))
        const change: RegionChange = { kind: 'write', writes: step.members }
        return this.#send(server, 'PATCH', this.target([]), change, { body: JSON.stringify(body) })
      }
      case 'post': {
        const change: RegionChange = { kind: 'append', keys: ['posts'], value: step.value }
        return this.#send(server, 'POST', this.target(['posts']), change, { body: JSON.stringify(step.value) })
      }
      case 'put-if':
        return this.#putIf(server, step)
      case 'count-on':
        return this.#parts.counter.act(server)
      case 'query':
        return this.#query(server)
      default:
        step satisfies never
    }
  }

  async #send(
    server: Server,
    method: string,
    target: string,
    change: RegionChange,
    options: { body?: string; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<void> {
    this.region.begin(change)
    const answer = await server.call(method, target, options)
    expectStatus(`${method} ${target}`, answer, 200)
    const name = method === 'POST' ? (JSON.parse(answer.text) as { name: string }).name : undefined
    this.#parts.onAcknowledged(this.name)
    this.region.acknowledge(name)
  }

  async #putIf(server: Server, { keys, json, late }: Step & { kind: 'put-if' }): Promise<void> {
    const target = this.target(keys)
    const read = await server.call('GET', target, { headers: { 'X-Firebase-ETag': 'true' } })
    expectStatus(`GET ${target}`, read, 200)
    const tag = read.headers.get('etag') ?? ''
    const change: RegionChange = { kind: 'write', writes: [[keys, json]] }
    const options = { body: JSON.stringify(json), headers: { 'if-match': tag } }
    if (!late) return this.#send(server, 'PUT', target, change, options)
    const sooner = `sooner than ${this.#number}`
    const first: RegionChange = { kind: 'write', writes: [[keys, sooner]] }
    await this.#send(server, 'PUT', target, first, { body: JSON.stringify(sooner) })
    this.region.begin(change)
    expectStatus(`PUT ${target} too late`, await server.call('PUT', target, options), 412)
    this.region.refuse()
  }

  /** The first query of a long list has an index made for it. */
  async #query(server: Server): Promise<void> {
    const target = this.target(['list'], '&orderBy="n"&limitToLast=3')
    const answer = await server.call('GET', target)
    expectStatus(`GET ${target}`, answer, 200)
    const numbers = (json: unknown) => Object.values((json ?? {}) as Record<string, { n: number }>).map(({ n }) => n)
    const found = numbers(JSON.parse(answer.text)).sort((one, other) => one - other)
    const { list } = (JSON.parse(this.region.text) ?? {}) as { list?: unknown }
    const expected = numbers(list)
      .sort((one, other) => one - other)
      .slice(-3)
    if (found.join() !== expected.join()) throw new UnexpectedAnswer(`${target}: ${found}, expected ${expected}`)
  }
}
