import type { Answer } from '../../../support/https-server.ts'
import type { Random } from '../../crash/random.ts'
import type { History, Outcome, SentWrite } from './history.ts'
import { DOOR, PLACES, SHARED_NODES } from './places.ts'
import { ask, type Server } from './sender.ts'

const STEPS = [
  'put',
  'put',
  'patch',
  'post',
  'add',
  'add',
  'if',
  'once',
  'gate',
  'locked',
  'door',
  'door',
  'get',
  'get',
  'get',
  'look',
  'look',
] as const
/** Children that a client leaves in the list. */
const MOST_LISTED = 3
/** Answered writes that may come again. */
const MOST_KEPT = 20
/** How long a write with a key is sent again, in milliseconds. */
const REPEATED_MS = 10_000

/** A request that writes. */
interface Request {
  readonly method: 'PUT' | 'PATCH' | 'POST' | 'DELETE'
  readonly target: string
  readonly body?: string
  readonly etag?: string
}

interface Answered {
  readonly request: Request
  readonly key: string
  readonly answer: Answer
}

export interface TreeClientParts {
  readonly history: History
  readonly random: Random
  /** Any process. */
  readonly any: () => Server
  readonly all: () => readonly Server[]
  /** Version of the rules that were put last. */
  readonly rulesVersion: () => number
}

/** Reads and writes what all clients share, on any process, in every way there is. */
export class TreeClient {
  readonly #parts: TreeClientParts
  readonly #answered: Answered[] = []
  readonly #listed: string[] = []

  constructor(parts: TreeClientParts) {
    this.#parts = parts
  }

  async act(): Promise<void> {
    const { random, history } = this.#parts
    if (random.happens(0.05)) return this.#sendAgain()
    const id = history.freshId()
    const node = random.below(SHARED_NODES)
    switch (random.pick(STEPS)) {
      case 'put':
        return this.#do(id, { method: 'PUT', target: `/k/${node}.json`, body: json({ id, n: node }) })
      case 'patch': {
        const other = (node + 1) % SHARED_NODES
        const body = json({ [`${node}/id`]: id, [`${other}/p`]: id })
        return this.#do(id, { method: 'PATCH', target: '/k.json', body })
      }
      case 'post':
        return this.#post(id)
      case 'add': {
        const body = json({ 'n/total': { '.sv': { increment: 1 } }, 'n/last': id })
        return this.#do(id, { method: 'PATCH', target: '/.json', body })
      }
      case 'if':
        return this.#writeIf(id, `/k/${node}`)
      case 'once':
        return this.#once(id)
      case 'gate': {
        const v = this.#parts.rulesVersion() + random.below(2)
        return this.#do(id, { method: 'PUT', target: '/gate.json', body: json({ v, id }) })
      }
      case 'locked':
        return this.#do(id, { method: 'PUT', target: '/locked.json', body: json({ id }) })
      case 'door':
        if (random.happens(0.2)) return this.#do(id, { method: 'PUT', target: `${DOOR}.json`, body: json({ id }) })
        return this.#readDoor()
      case 'look':
        return this.#look(id, `/k/${node}`)
      default:
        await this.#read(random.pick(PLACES))
    }
  }

  /** Puts something new. */
  async put(place: string): Promise<void> {
    const id = this.#parts.history.freshId()
    await this.#write(id, { method: 'PUT', target: `${place}.json`, body: json(id) })
  }

  /** Reads on all processes, writes on one, and reads on all again: what they have kept is out of date then. */
  async #look(id: string, place: string): Promise<void> {
    const readAll = () => Promise.all(this.#parts.all().map((server) => this.#read(place, server)))
    await readAll()
    await this.#write(id, { method: 'PUT', target: `${place}.json`, body: json({ id, n: 2 }) })
    await readAll()
  }

  async #read(place: string, server: Server = this.#parts.any()): Promise<Answer | undefined> {
    const { history } = this.#parts
    const sentAt = performance.now()
    const answer = await ask(server, 'GET', `${place}.json`, { headers: { 'X-Firebase-ETag': 'true' } })
    if (answer === undefined || answer.status === 503) return undefined
    if (answer.status !== 200) {
      history.problems.push(`GET ${place}: ${answer.status} ${answer.text.slice(0, 200)}`)
      return undefined
    }
    history.reads.push({ place, text: answer.text, sentAt, endedAt: performance.now() })
    return answer
  }

  async #readDoor(): Promise<void> {
    const { history, any } = this.#parts
    const sentAt = performance.now()
    const answer = await ask(any(), 'GET', `${DOOR}.json`)
    if (answer === undefined || answer.status === 503) return
    if (answer.status !== 200 && answer.status !== 403) {
      history.problems.push(`GET ${DOOR}: ${answer.status} ${answer.text.slice(0, 200)}`)
    } else history.doorReads.push({ isAllowed: answer.status === 200, sentAt, endedAt: performance.now() })
  }

  async #post(id: string): Promise<void> {
    const body = json({ id, at: { '.sv': 'timestamp' } })
    const { name } = await this.#write(id, { method: 'POST', target: '/list.json', body })
    if (name !== undefined) this.#listed.push(name)
    const old = this.#listed.length > MOST_LISTED ? this.#listed.shift() : undefined
    if (old !== undefined) await this.#write(`/list/${old}`, { method: 'DELETE', target: `/list/${old}.json` })
  }

  /** Something that is written once and deleted. */
  async #once(id: string): Promise<void> {
    const target = `/once/${id}.json`
    const write = await this.#write(id, { method: 'PUT', target, body: json(`of ${id}`) })
    if (write.outcome === 'acknowledged') await this.#write(`/once/${id}`, { method: 'DELETE', target })
  }

  async #writeIf(id: string, place: string): Promise<void> {
    const read = await this.#read(place)
    const etag = read?.headers.get('etag')
    if (read === undefined || etag === undefined || etag === null) return
    // Another one may come between, which is what the condition is for.
    if (this.#parts.random.happens(0.3)) {
      const other = this.#parts.history.freshId()
      await this.#write(other, { method: 'PUT', target: `${place}.json`, body: json({ id: other, n: 0 }) })
    }
    const request: Request = { method: 'PUT', target: `${place}.json`, body: json({ id, n: 1 }), etag }
    await this.#write(id, request, { place, text: read.text })
  }

  async #do(id: string, request: Request): Promise<void> {
    await this.#write(id, request)
  }

  async #write(id: string, request: Request, condition?: SentWrite['condition']): Promise<SentWrite> {
    const { history, random } = this.#parts
    const key = random.happens(0.5) ? crypto.randomUUID() : undefined
    const write: SentWrite = {
      id,
      what: `${request.method} ${request.target}`,
      sentAt: performance.now(),
      isKeyed: key !== undefined,
      outcome: 'unknown',
      endedAt: Number.POSITIVE_INFINITY,
      status: 0,
      ...(condition === undefined ? {} : { condition }),
    }
    history.writes.push(write)
    let answer = await this.#sendOnce(request, key)
    // With a key it may be sent until there is an answer.
    while (key !== undefined && outcomeOf(answer) === 'unknown' && performance.now() - write.sentAt < REPEATED_MS) {
      await Bun.sleep(20)
      answer = await this.#sendOnce(request, key)
    }
    this.#note(write, request, key, answer)
    return write
  }

  #note(write: SentWrite, request: Request, key: string | undefined, answer: Answer | undefined): void {
    write.outcome = outcomeOf(answer)
    write.endedAt = performance.now()
    write.status = answer?.status ?? 0
    if (answer === undefined || write.outcome === 'unknown') return
    if (write.outcome === 'refused' && ![403, 412].includes(answer.status)) {
      this.#parts.history.problems.push(`${write.what}: ${answer.status} ${answer.text.slice(0, 200)}`)
    }
    if (key !== undefined && answer.status !== 403) this.#keep({ request, key, answer })
    if (request.method !== 'POST' || write.outcome !== 'acknowledged') return
    const { name } = JSON.parse(answer.text) as { name: string }
    write.name = name
  }

  #sendOnce({ method, target, body, etag }: Request, key: string | undefined): Promise<Answer | undefined> {
    const headers = {
      ...(etag === undefined ? {} : { 'if-match': etag }),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    }
    return ask(this.#parts.any(), method, target, { body, headers })
  }

  #keep(answered: Answered): void {
    this.#answered.push(answered)
    if (this.#answered.length > MOST_KEPT) this.#answered.shift()
  }

  /** What was answered is answered the same on every process, and not done again. */
  async #sendAgain(): Promise<void> {
    const { random, history } = this.#parts
    const again = this.#answered[random.below(Math.max(1, this.#answered.length))]
    if (again === undefined) return
    const { request, key, answer } = again
    const now = await this.#sendOnce(request, key)
    if (now === undefined || now.status === 503) return
    const isReplayed = now.headers.get('idempotency-replayed') === 'true'
    if (isReplayed && now.status === answer.status && now.text === answer.text) return
    const [before, later] = [answer, now].map(({ status, text }) => `${status} ${text.slice(0, 100)}`)
    const known = isReplayed ? 'known' : 'not known'
    history.problems.push(`${request.method} ${request.target} again: ${known}, answered ${later}, before ${before}`)
  }
}

function outcomeOf(answer: Answer | undefined): Outcome {
  if (answer === undefined || answer.status === 503) return 'unknown'
  return answer.status === 200 ? 'acknowledged' : 'refused'
}

function json(value: unknown): string {
  return JSON.stringify(value)
}
