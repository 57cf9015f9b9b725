import { mobiles, pushed, SmsClient, type Status } from '../../../protocol/sms/calls.ts'
import { SMS_KEY } from '../../../protocol/sms/service.ts'
import type { Answer } from '../../../support/https-server.ts'
import type { Random } from '../../crash/random.ts'
import { ask, type Server } from './sender.ts'

const MOST_MESSAGES = 4

/** One telling of a final state. Times are of one monotonic clock, in milliseconds. */
interface Telling {
  readonly sentAt: number
  readonly endedAt: number
}

/** What is known of the messages of a run. */
export class Messages {
  /** Messages whose report was acknowledged. */
  readonly reported = new Set<string>()
  /** Messages of which a report was sent. */
  readonly sent = new Set<string>()
  readonly tellings = new Map<string, Telling[]>()
  readonly problems: string[] = []

  tell(message: string, telling: Telling): void {
    this.tellings.set(message, [...(this.tellings.get(message) ?? []), telling])
  }

  /** Messages that were reported and not told. */
  get untold(): number {
    return [...this.reported].filter((message) => !this.tellings.has(message)).length
  }
}

/** Records messages, reports what became of them and asks for the news, each on any process. */
export class MessageClient {
  readonly #messages: Messages
  readonly #random: Random
  readonly #any: () => Server
  readonly #name: string
  #number = 0

  constructor(name: string, messages: Messages, random: Random, any: () => Server) {
    this.#name = name
    this.#messages = messages
    this.#random = random
    this.#any = any
  }

  async act(): Promise<void> {
    const rrid = `${this.#name}-${++this.#number}`
    const numbers = mobiles(1 + this.#random.below(MOST_MESSAGES), this.#number * MOST_MESSAGES)
    const recorded = await this.#client().batch({ mobiles: JSON.stringify(numbers), rrid })
    if (this.#isDone('record', recorded.status, recorded.text)) await this.#report(rrid, numbers)
    if (this.#random.happens(0.4)) await this.fetchNews()
  }

  /** @returns how many were told; -1 without an answer */
  async fetchNews(): Promise<number> {
    const sentAt = performance.now()
    // A process that goes on after a stop may answer late: what the client has received is not told again.
    const answer = await this.#client((late) => this.#hear(late, sentAt)).news()
    return this.#hear(answer, sentAt)
  }

  /** @returns how many were told; -1 without an answer */
  #hear({ status, text }: Pick<Answer, 'status' | 'text'>, sentAt: number): number {
    if (!this.#isDone('news', status, text)) return -1
    const { data } = JSON.parse(text) as { data: readonly Status[] }
    for (const { rrid, mobile } of data) {
      this.#messages.tell(`${rrid} ${mobile}`, { sentAt, endedAt: performance.now() })
    }
    return data.length
  }

  async #report(rrid: string, numbers: readonly string[]): Promise<void> {
    const body = JSON.stringify({ type: 1, data: numbers.map((mobile) => pushed(rrid, mobile)) })
    const names = numbers.map((mobile) => `${rrid} ${mobile}`)
    for (const name of names) this.#messages.sent.add(name)
    const { status, text } = await this.#client().push(body)
    if (this.#isDone('report', status, text)) for (const name of names) this.#messages.reported.add(name)
  }

  #isDone(what: string, status: number, text: string): boolean {
    // A process whose clock is off may refuse the time of a call.
    const isRefused = status === 503 || text.includes('timestamp')
    if (status !== 200 && !isRefused) this.#messages.problems.push(`${what}: ${status} ${text.slice(0, 200)}`)
    return status === 200
  }

  #client(onLate?: (answer: Answer) => void): SmsClient {
    const server = this.#any()
    return new SmsClient(
      async (method, target, options) => {
        const answer = await ask(server, method, target, options, undefined, onLate)
        return answer ?? { status: 503, headers: new Headers(), text: '' }
      },
      'app',
      SMS_KEY,
    )
  }
}
