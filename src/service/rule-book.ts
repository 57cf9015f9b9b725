import { parseRules, type RuleSet } from '../rules/rule-set.ts'

/** Rules read before: those in force, and those that a transaction under way has put in their place. */
const KEPT = 2

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
    const known = this.#kept.find((rules) => rules.source === source)
    if (known !== undefined) return known
    const rules = parseRules(source)
    this.#kept = [rules, ...this.#kept].slice(0, KEPT)
    return rules
  }
}
