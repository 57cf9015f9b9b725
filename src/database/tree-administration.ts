import type { IndexPolicy } from '../query/index-declarations.ts'
import { atOnce } from '../scheduling/steps.ts'
import type { IndexAdministration, TreeStore } from '../store/store.ts'
import { readInTurns } from './access/rule-cache.ts'
import { RULES_HISTORY, type RulesVersion, readHistory } from './access/rules-history.ts'
import type { RulesInForce } from './access/rules-in-force.ts'
import type { DatabaseSettings } from './database-settings.ts'
import { type Attempt, decided, type Ruling } from './writes/attempt.ts'

/** What only the operator and the administrators of one tree ask for. */
export class TreeAdministration {
  readonly #store: TreeStore
  readonly #rules: RulesInForce
  readonly #settings: DatabaseSettings

  constructor(store: TreeStore, rules: RulesInForce, settings: DatabaseSettings) {
    this.#store = store
    this.#rules = rules
    this.#settings = settings
  }

  /** Whether queries by a child or value need a declared index. */
  get indexPolicy(): IndexPolicy {
    return this.#settings.indexPolicy
  }

  get indexes(): IndexAdministration {
    return this.#store.indexAdministration
  }

  /**
   * What rules decide about a request, on the last durable commit. Writes nothing.
   * @param source of the rules; default: those in force
   * @throws `bad-rules`, `rule-wildcards`, and DholeError for a request that is invalid for any rules
   */
  async explain(attempt: Attempt, source?: string): Promise<Ruling> {
    await this.#store.fresh()
    const rules = source === undefined ? this.#rules.current : await readInTurns(source)
    const { now } = this.#store.clock ?? { now: Date.now() }
    const setting = { rules, limits: this.#settings.limits, now }
    return await this.#store.read(() => decided(setting, attempt))
  }

  /** The rules that were stored, newest first: at most 50, and 1 MiB of text. */
  async rulesHistory(): Promise<readonly RulesVersion[]> {
    return readHistory(await this.setting(RULES_HISTORY))
  }

  /** Text stored beside the tree under a name, as of every commit that was durable before the call. */
  async setting(name: string): Promise<string | undefined> {
    const fresh = this.#store.fresh(true)
    if (fresh !== undefined) await fresh
    return this.#store.setting(name)
  }

  /**
   * Replaces such a text by what `change` makes of it. Durable, and known to every process, when it resolves.
   * @param change may run several times
   */
  async changeSetting(name: string, change: (stored: string | undefined) => string): Promise<void> {
    await this.#store.commit(function* () {
      const stored = (yield { kind: 'setting', name }) as string | undefined
      return yield* atOnce(() => ({ result: undefined, settings: [[name, change(stored)] as const] }))
    })
    await this.#store.everywhere?.()
  }
}
