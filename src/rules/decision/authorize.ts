import { endsInPriority, type Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import type { Write } from '../../tree/write.ts'
import type { RequestContext } from '../expression/request-context.ts'
import { childRules, type RuleNode } from '../file/rule-node.ts'
import type { RuleSet } from '../file/rule-set.ts'
import type { Decision } from './decision.ts'
import { NewTreeView } from './new-tree-view.ts'
import { type AuthorizeOptions, RuleEvaluator } from './rule-evaluator.ts'
import { areWritesValid } from './validate.ts'
import { type WriteNode, writeTrie } from './write-trie.ts'

/**
 * Decides a read: it is allowed when a `.read` rule from the root down to the node is true.
 * @param path of the node, also for a query of its children
 * @see docs/reference/protocol.md#rules
 */
export function* mayRead(
  rules: RuleSet,
  path: Path,
  request: RequestContext,
  options: AuthorizeOptions = {},
): Reads<Decision> {
  if (options.trace !== true && rules.isPublic) return ALLOWED
  const evaluator = new RuleEvaluator(request, undefined, options)
  const node = endsInPriority(path) ? path.slice(0, -1) : path
  let level: RuleNode | undefined = rules.root
  for (let depth = 0; level !== undefined; depth++) {
    if (level.read !== undefined && (yield* evaluator.evaluate(level.read, node))) return evaluator.allowByLastRule()
    const key = node[depth]
    level = key === undefined ? undefined : childRules(level, key)
  }
  evaluator.recordNoRule(node, '.read')
  return evaluator.decide(false)
}

/** Decides one write request in two steps, which share the view of the tree after the write. */
export class WriteAuthorization {
  readonly #rules: RuleSet
  readonly #writes: readonly Write[]
  readonly #request: RequestContext
  readonly #options: AuthorizeOptions
  #parts: { readonly root: WriteNode; readonly newTree: NewTreeView } | undefined

  /** @param writes not overlapping; the rules read the tree before them */
  constructor(rules: RuleSet, writes: readonly Write[], request: RequestContext, options: AuthorizeOptions = {}) {
    this.#rules = rules
    this.#writes = writes
    this.#request = request
    this.#options = options
  }

  /** Whether the permission is known without evaluating a rule: every caller may write all valid data. */
  get isOpen(): boolean {
    return this.#options.trace !== true && this.#rules.isWritable
  }

  /** Whether all data is valid. */
  get isAlwaysValid(): boolean {
    return !this.#rules.root.validates
  }

  /**
   * Decides the permission: for each written path a `.write` rule from the root down to it must be true.
   * @see docs/reference/protocol.md#rules
   */
  *mayWrite(): Reads<Decision> {
    if (this.isOpen) return ALLOWED
    const { root: rules } = this.#rules
    const { root, newTree } = yield* this.#prepare()
    const evaluator = new RuleEvaluator(this.#request, newTree, this.#options)
    return evaluator.decide(yield* mayWriteAt(evaluator, root, rules, []))
  }

  /**
   * Decides the validity of the data after the writes: every `.validate` rule above, at and below a written path must be
   * true where a node exists afterwards.
   * @see docs/reference/protocol.md#rules
   */
  *isValid(): Reads<Decision> {
    if (this.isAlwaysValid) return ALLOWED
    const { root: rules } = this.#rules
    const { root, newTree } = yield* this.#prepare()
    const evaluator = new RuleEvaluator(this.#request, newTree, this.#options)
    return evaluator.decide(yield* areWritesValid(evaluator, root, rules, [], newTree))
  }

  *#prepare(): Reads<{ readonly root: WriteNode; readonly newTree: NewTreeView }> {
    if (this.#parts === undefined) {
      const root = yield* writeTrie(this.#writes)
      this.#parts = { root, newTree: new NewTreeView(root) }
    }
    return this.#parts
  }
}

/** Evaluates a rule above several written paths once. */
function* mayWriteAt(
  evaluator: RuleEvaluator,
  place: WriteNode,
  rules: RuleNode | undefined,
  path: Path,
): Reads<boolean> {
  if (rules?.write !== undefined && (yield* evaluator.evaluate(rules.write, path))) return true
  if (
    place.replaced !== undefined ||
    place.prioritized !== undefined ||
    (rules === undefined && place.children.size > 0)
  ) {
    evaluator.recordNoRule(path, '.write')
    return false
  }
  for (const [key, child] of place.children) {
    if (evaluator.isPauseDue()) yield* evaluator.pause()
    if (!(yield* mayWriteAt(evaluator, child, rules && childRules(rules, key), [...path, key]))) return false
  }
  return true
}

/** Decision of constant rules. */
const ALLOWED: Decision = Object.freeze({ allowed: true, trace: [], dependsOn: { time: false, paths: [] } })
