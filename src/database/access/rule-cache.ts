import { parseRules, parseRulesInSteps, type RuleSet } from '../../rules/file/rule-set.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { inTurns } from '../../scheduling/turns.ts'

/** Rules read before that are kept: those in force, and those in force before, for reads that are under way. */
const MAX_KEPT = 4
/** What stands in for rules that cannot be read: only the owner may do anything, such as store others. */
const LOCKED = '{"rules":{}}'

/**
 * Reads rules, those of a long file in several turns of the event loop.
 * @throws `bad-rules`, `rule-wildcards`
 */
export function readInTurns(source: string): Awaitable<RuleSet> {
  return inTurns(parseRulesInSteps(source))
}

/** Rules by their source, read once. */
export class RuleCache {
  readonly #fallback: RuleSet
  readonly #onTroubled: (error: unknown) => void
  #kept: readonly RuleSet[] = []
  readonly #used = new Set<RuleSet>()

  /**
   * @param fallback source of the rules where none are stored
   * @param onTroubled hears of stored rules that cannot be read: another version may have stored them
   */
  constructor(fallback: string, onTroubled: (error: unknown) => void = () => {}) {
    this.#fallback = parseRules(fallback)
    this.#onTroubled = onTroubled
  }

  /**
   * Reads rules and uses them. They are not read again as long as they are used, however many others are.
   * @param use stores them
   * @throws `bad-rules`, `rule-wildcards`, and what `use` throws
   */
  async use<T>(source: string, use: () => Promise<T>): Promise<T> {
    const reading = readInTurns(source)
    const rules = reading instanceof Promise ? await reading : reading
    this.#used.add(rules)
    try {
      const used = await use()
      this.#keep(rules)
      return used
    } finally {
      this.#used.delete(rules)
    }
  }

  /** The rules of a stored source, or those for where none is. */
  of(source: string | undefined): RuleSet {
    if (source === undefined) return this.#fallback
    const [latest] = this.#kept
    // The same text as the last time, which is compared by where it lies.
    if (latest?.source === source) return latest
    return this.#keep(this.#known(source) ?? this.#stored(source))
  }

  #known(source: string): RuleSet | undefined {
    for (const rules of this.#kept) if (rules.source === source) return rules
    for (const rules of this.#used) if (rules.source === source) return rules
    return undefined
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
    this.#kept = [rules, ...this.#kept.filter((kept) => kept !== rules)].slice(0, MAX_KEPT)
    return rules
  }
}
