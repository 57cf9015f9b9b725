import type { Answer } from '../../support/https-server.ts'
import type { Random } from './random.ts'
import type { RegionChange } from './region.ts'
import { expectStatus, type Server } from './witness.ts'

/** Answered writes that may come again; the oldest are forgotten. */
const MOST_KEPT = 60
/** So many of them come again after a crash: the last ones, and any. */
const LAST_SENT_AGAIN = 2
const SENT_AGAIN = 4

/** A write to a region. */
export interface Write {
  readonly method: 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  readonly target: string
  readonly change: RegionChange
  readonly body?: string
  /** ETag on whose condition it is written. */
  readonly ifMatch?: string
  /** 412 of one whose condition does not hold. */
  readonly status: 200 | 412
}

/** A write under a key of its own. */
interface Keyed {
  readonly write: Write
  readonly key: string
}

/** What came of one that was sent once more. */
interface Repeated {
  readonly write: Write
  readonly answer: Answer
  /** Whether the server says that this was done before. */
  readonly isReplayed: boolean
}

interface Answered extends Keyed {
  readonly text: string
}

/** Sends writes, some of them under an `Idempotency-Key`, and those once more after a crash. */
export class Repeats {
  readonly #random: Random
  readonly #answered: Answered[] = []
  #underWay: Keyed | undefined
  /** Writes without an answer that were sent once more. */
  unanswered = 0

  constructor(random: Random) {
    this.#random = random
  }

  /** @throws UnexpectedAnswer for another status; when the connection breaks */
  async send(server: Server, write: Write): Promise<Answer> {
    const keyed = this.#random.happens(0.5) ? { write, key: crypto.randomUUID() } : undefined
    this.#underWay = keyed
    const answer = await send(server, write, keyed?.key)
    expectStatus(`${write.method} ${write.target}`, answer, write.status)
    this.#underWay = undefined
    if (keyed !== undefined) this.#keep(keyed, answer)
    return answer
  }

  /** Sends once more what had no answer, and remembers the right one. @returns nothing where all had theirs */
  async sendUnanswered(server: Server): Promise<Repeated | undefined> {
    const keyed = this.#underWay
    this.#underWay = undefined
    if (keyed === undefined) return undefined
    this.unanswered++
    const answer = await send(server, keyed.write, keyed.key)
    if (answer.status === keyed.write.status) this.#keep(keyed, answer)
    return { write: keyed.write, answer, isReplayed: isReplayed(answer) }
  }

  /** Sends some of those once more that had an answer. @returns those that were not answered the same */
  async sendAnswered(server: Server): Promise<readonly string[]> {
    const problems: string[] = []
    for (const { write, key, text } of this.#chosen()) {
      const answer = await send(server, write, key)
      if (isReplayed(answer) && answer.status === write.status && answer.text === text) continue
      const [before, now] = [`${write.status} ${text}`, `${answer.status} ${answer.text}`].map((one) =>
        one.slice(0, 100),
      )
      const known = isReplayed(answer) ? 'known' : 'not known'
      problems.push(`${write.method} ${write.target} again: ${known}, answered ${now}, before ${before}`)
    }
    return problems
  }

  #keep(keyed: Keyed, { text }: Answer): void {
    this.#answered.push({ ...keyed, text })
    if (this.#answered.length > MOST_KEPT) this.#answered.shift()
  }

  #chosen(): ReadonlySet<Answered> {
    const chosen = new Set(this.#answered.slice(-LAST_SENT_AGAIN))
    while (chosen.size < Math.min(SENT_AGAIN, this.#answered.length)) {
      const one = this.#answered[this.#random.below(this.#answered.length)]
      if (one !== undefined) chosen.add(one)
    }
    return chosen
  }
}

function send(server: Server, { method, target, body, ifMatch }: Write, key: string | undefined): Promise<Answer> {
  const headers = {
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
  }
  return server.call(method, target, { body, headers })
}

function isReplayed({ headers }: Answer): boolean {
  return headers.get('idempotency-replayed') === 'true'
}
