import { parseRules, parseRulesInSteps, type RuleSet } from '../../rules/file/rule-set.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { inTurns } from '../../scheduling/turns.ts'

/** Maximum cached rules: those in force, and earlier ones for reads that are still running. */
const MAX_KEPT = 4
/** Replaces stored rules that cannot be read: only an admin is allowed anything, such as storing other rules. */
const LOCKED = '{"rules":{}}'

/**
 * Parses rules; a long file takes several turns of the event loop.
 * @throws `bad-rules`, `rule-wildcards`
 */
export function readInTurns(source: string): Awaitable<RuleSet> {
  return inTurns(parseRulesInSteps(source))
}

/** As `readInTurns`, at once. */
export function checkRules(source: string): void {
  parseRules(source)
}

/**
 * Parses stored rules as `readInTurns` does.
 * @returns `undefined` for no source, and for one that cannot be read, which a `RuleCache` reports
 */
export function readStoredInTurns(source: string | undefined): Awaitable<RuleSet | undefined> {
  if (source === undefined) return undefined
  try {
    const reading = readInTurns(source)
    return reading instanceof Promise ? reading.catch(() => undefined) : reading
  } catch {
    return undefined
  }
}

/** Caches parsed rules by their source. */
export class RuleCache {
  readonly #fallback: RuleSet
  readonly #onTroubled: (error: unknown) => void
  #kept: readonly RuleSet[] = []
  readonly #used = new Set<RuleSet>()

  /**
   * @param fallback source of the rules where none are stored
   * @param onTroubled called for stored rules that cannot be read: another version may have stored them
   * @param known rules that are cached from the beginning
   */
  constructor(fallback: string, onTroubled: (error: unknown) => void = () => {}, known?: RuleSet) {
    this.#fallback = known?.source === fallback ? known : parseRules(fallback)
    if (known !== undefined) this.#keep(known)
    this.#onTroubled = onTroubled
  }

  /**
   * Parses rules and runs `use`, which stores them. They stay cached while it runs.
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

  /** The rules of a stored source; the fallback without one. */
  of(source: string | undefined): RuleSet {
    if (source === undefined) return this.#fallback
    const [latest] = this.#kept
    // Mostly the same string object, so the comparison is short.
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
