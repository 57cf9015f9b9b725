import { SECRET } from '../../../support/https-server.ts'
import type { History, SentRules } from './history.ts'
import { rulesText } from './places.ts'
import { ask, type Server } from './sender.ts'

/** Longest wait for an answer, in milliseconds: it comes when all processes have confirmed, the killed ones too. */
const PATIENCE_MS = 1000

const TARGET = `/.settings/rules.json?auth=${encodeURIComponent(SECRET)}`

/** Puts one version of the rules after the other. */
export class RulesClient {
  readonly #history: History
  readonly #any: () => Server
  version = 1

  constructor(history: History, any: () => Server) {
    this.#history = history
    this.#any = any
  }

  async act(): Promise<void> {
    const sent: SentRules = {
      version: ++this.version,
      sentAt: performance.now(),
      outcome: 'unknown',
      endedAt: Number.POSITIVE_INFINITY,
    }
    this.#history.rules.push(sent)
    const answer = await ask(this.#any(), 'PUT', TARGET, { body: rulesText(sent.version) }, PATIENCE_MS)
    sent.endedAt = performance.now()
    if (answer?.status === 200) sent.outcome = 'acknowledged'
    else if (answer !== undefined && answer.status !== 503) {
      this.#history.problems.push(`rules: ${answer.status} ${answer.text.slice(0, 200)}`)
    }
  }
}
