import { parseRules, type RuleSet } from '../rules/rule-set.ts'

/** Rules read before: those in force, and those that transactions under way put in their place. */
const KEPT = 4

/** Rules by their source, read once. */
export class RuleBook {
  readonly #fallback: RuleSet
  #kept: readonly RuleSet[] = []

  /** @param fallback source of the rules where none are stored */
  constructor(fallback: string) {
    this.#fallback = parseRules(fallback)
  }

  /**
   * The rules of a stored source, or those for where none is.
   * @throws `bad-rules`, `rule-wildcards`
   */
  of(source: string | undefined): RuleSet {
    if (source === undefined) return this.#fallback
    const [latest] = this.#kept
    // The same text as the last time, which is compared by where it lies.
    if (latest?.source === source) return latest
    const rules = this.#kept.find((kept) => kept.source === source) ?? parseRules(source)
    this.#kept = [rules, ...this.#kept.filter((kept) => kept !== rules)].slice(0, KEPT)
    return rules
  }
}
