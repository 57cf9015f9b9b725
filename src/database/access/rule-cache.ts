import { parseRules, type RuleSet } from '../../rules/file/rule-set.ts'

/** Rules read before: those in force, and those that transactions under way put in their place. */
const KEPT = 4
/** What stands in for rules that cannot be read: only the owner may do anything, such as store others. */
const LOCKED = '{"rules":{}}'

/** Rules by their source, read once. */
export class RuleBook {
  readonly #fallback: RuleSet
  readonly #onTroubled: (error: unknown) => void
  #kept: readonly RuleSet[] = []

  /**
   * @param fallback source of the rules where none are stored
   * @param onTroubled hears of stored rules that cannot be read: another version may have stored them
   */
  constructor(fallback: string, onTroubled: (error: unknown) => void = () => {}) {
    this.#fallback = parseRules(fallback)
    this.#onTroubled = onTroubled
  }

  /**
   * Rules that are to be stored.
   * @throws `bad-rules`, `rule-wildcards`
   */
  read(source: string): RuleSet {
    return this.#keep(parseRules(source))
  }

  /** The rules of a stored source, or those for where none is. */
  of(source: string | undefined): RuleSet {
    if (source === undefined) return this.#fallback
    const [latest] = this.#kept
    // The same text as the last time, which is compared by where it lies.
    if (latest?.source === source) return latest
    return this.#keep(this.#kept.find((kept) => kept.source === source) ?? this.#stored(source))
  }

  #stored(source: string): RuleSet {
    try {
      return parseRules(source)
    } catch (error) {
      this.#onTroubled(error)
      return { ...parseRules(LOCKED), source }
    }
  }

  #keep(rules: RuleSet): RuleSet {
    this.#kept = [rules, ...this.#kept.filter((kept) => kept !== rules)].slice(0, KEPT)
    return rules
  }
}
