import {
  checkIndexed,
  type IndexDeclaration,
  type IndexPolicy,
  type IndexSpec,
  parseIndexes,
} from '../query/index-declarations.ts'
import type { Query } from '../query/query.ts'
import type { RuleSet } from '../rules/file/rule-set.ts'
import type { TreeStore } from '../store/store.ts'
import type { Path } from '../tree/path.ts'

/** Indexes that are declared by the rules or by the host. */
export class DeclaredIndexes {
  readonly #store: TreeStore
  readonly #policy: IndexPolicy
  readonly #rules: () => RuleSet
  /** Declarations of the host. */
  #declarations: readonly IndexDeclaration[] = []

  /** @param rules the rules in force */
  constructor(store: TreeStore, policy: IndexPolicy, rules: () => RuleSet) {
    this.#store = store
    this.#policy = policy
    this.#rules = rules
  }

  /**
   * Replaces the declarations of the host. Resolves when the indexes are built.
   * @throws `bad-path`, `bad-order` for a wrong declaration, `unavailable` when an index cannot be built
   */
  async replace(spec: IndexSpec): Promise<void> {
    this.#declarations = parseIndexes(spec)
    await this.build()
  }

  /** Builds the indexes that the host and the rules in force declare. */
  build(): Promise<void> {
    return this.#store.declareIndexes([...this.#declarations, ...this.#rules().indexes])
  }

  /** @throws `index-missing` for a query without a declared index, where the policy requires one */
  check(list: Path, { orderBy }: Query): void {
    if (this.#policy === 'allow') return
    const ofRules = this.#rules()
      .indexesAt(list)
      .map(({ path }) => ({ list, path }))
    checkIndexed([...this.#declarations, ...ofRules], list, orderBy)
  }
}
