import type { Answer } from '../../support/https-server.ts'
import type { Counter } from './counter.ts'
import type { Random } from './random.ts'
import { type Keys, Region, type RegionChange } from './region.ts'
import { Repeats, type Write } from './repeats.ts'
import { type Step, stepOf } from './steps.ts'
import { expectStatus, type OnAcknowledged, type Server, UnexpectedAnswer, type Witness } from './witness.ts'

const POSTS: Keys = ['posts']

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
  readonly #repeats: Repeats
  #number = 0

  constructor(parts: TreeClientParts) {
    this.#parts = parts
    this.name = `${parts.app}/${parts.key}`
    this.path = `/regions/${parts.key}`
    this.region = new Region(parts.keepsAll)
    this.#repeats = new Repeats(parts.random.fork())
  }

  /** Writes that had no answer when the process was killed, and were sent once more. */
  get unanswered(): number {
    return this.#repeats.unanswered
  }

  act(server: Server): Promise<void> {
    return this.#perform(server, stepOf(this.#parts.random, ++this.#number))
  }

  async settle(server: Server): Promise<readonly string[]> {
    const before = this.region.acknowledged
    const problem = this.region.settle(await this.#read(server))
    const isShown = this.region.acknowledged > before
    // What a read shows is as good as acknowledged.
    if (isShown) this.#parts.onAcknowledged(this.name)
    const problems = problem === undefined ? [] : [problem]
    problems.push(...(await this.#sendUnanswered(server, isShown)), ...(await this.#repeats.sendAnswered(server)))
    // Once each: what came again has written nothing that was there.
    const after = this.region.settle(await this.#read(server))
    if (after !== undefined) problems.push(`when all was sent again: ${after}`)
    return problems.map((found) => `${this.name}: ${found}`)
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
      case 'put':
        return this.#send(server, this.#put(step.keys, step.json))
      case 'delete': {
        const change: RegionChange = { kind: 'write', writes: [[step.keys, null]] }
        return this.#send(server, { method: 'DELETE', target: this.target(step.keys), change, status: 200 })
      }
      case 'patch': {
        const body = JSON.stringify(Object.fromEntries(step.members.map(([keys, json]) => [keys.join('/'), json])))
        const change: RegionChange = { kind: 'write', writes: step.members }
        return this.#send(server, { method: 'PATCH', target: this.target([]), change, body, status: 200 })
      }
      case 'post': {
        const change: RegionChange = { kind: 'append', keys: POSTS, value: step.value }
        const body = JSON.stringify(step.value)
        return this.#send(server, { method: 'POST', target: this.target(POSTS), change, body, status: 200 })
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

  #put(keys: Keys, json: unknown): Write {
    const change: RegionChange = { kind: 'write', writes: [[keys, json]] }
    return { method: 'PUT', target: this.target(keys), change, body: JSON.stringify(json), status: 200 }
  }

  async #send(server: Server, write: Write): Promise<void> {
    this.region.begin(write.change)
    const answer = await this.#repeats.send(server, write)
    if (write.status === 200) this.#acknowledge(write, answer)
    else this.region.refuse()
  }

  #acknowledge({ method }: Write, { text }: Answer): void {
    this.#parts.onAcknowledged(this.name)
    this.region.acknowledge(method === 'POST' ? nameIn(text) : undefined)
  }

  /** Sends once more what nobody had answered when the process was killed. @param isShown whether it is there already */
  async #sendUnanswered(server: Server, isShown: boolean): Promise<readonly string[]> {
    const repeated = await this.#repeats.sendUnanswered(server)
    if (repeated === undefined) return []
    const { write, answer, isReplayed } = repeated
    const what = `${write.method} ${write.target} without an answer`
    if (answer.status !== write.status) return [`${what}: ${answer.status} ${answer.text.slice(0, 200)}`]
    if (write.status !== 200) return []
    if (!isShown) {
      const before = this.region.text
      this.region.begin(write.change)
      this.#acknowledge(write, answer)
      return isReplayed && this.region.text !== before ? [`${what}: known, and nothing was written`] : []
    }
    if (!isReplayed) return [`${what}: written, and not known`]
    if (write.change.kind !== 'append') return []
    const { posts } = (JSON.parse(this.region.text) ?? {}) as { posts?: Readonly<Record<string, unknown>> }
    const { value } = write.change
    return posts?.[nameIn(answer.text)] === value ? [] : [`${what}: ${answer.text} is not where ${value} was written`]
  }

  async #read(server: Server): Promise<string> {
    const answer = await server.call('GET', this.target([]))
    expectStatus(`${this.name}: GET`, answer, 200)
    return answer.text
  }

  async #putIf(server: Server, { keys, json, late }: Step & { kind: 'put-if' }): Promise<void> {
    const target = this.target(keys)
    const read = await server.call('GET', target, { headers: { 'X-Firebase-ETag': 'true' } })
    expectStatus(`GET ${target}`, read, 200)
    const write: Write = { ...this.#put(keys, json), ifMatch: read.headers.get('etag') ?? '' }
    if (!late) return this.#send(server, write)
    await this.#send(server, this.#put(keys, `sooner than ${this.#number}`))
    await this.#send(server, { ...write, status: 412 })
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

/** The generated name that a POST is answered with. */
function nameIn(text: string): string {
  return (JSON.parse(text) as { name: string }).name
}
