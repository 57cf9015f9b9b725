import { endsInPriority, type Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import type { Write } from '../../tree/write.ts'
import type { RequestContext } from '../expression/request-context.ts'
import { childRules, type Rule, type RuleNode } from '../file/rule-node.ts'
import type { RuleSet } from '../file/rule-set.ts'
import { NewTreeView } from './new-tree-view.ts'
import { type AuthorizeOptions, RuleEvaluator } from './rule-evaluator.ts'
import { Validation } from './validate.ts'
import { type WritePlace, writeTree } from './write-trie.ts'

export type { QueryFacts, RequestContext as Visit } from '../expression/request-context.ts'

export interface Decision {
  readonly allowed: boolean
  /** Whether it holds as long as the rules do: neither data nor time were looked at. */
  readonly fixed: boolean
  /** Whether it holds whatever the time: the rule that allowed a read, else every rule asked, did not look at `now`. */
  readonly timeless: boolean
  /** A line for each rule that was looked at; empty unless asked for. */
  readonly trace: readonly string[]
}

/** Whether everybody may write everything that is valid, as long as the rules hold. */
export function isWritable({ root }: RuleSet): boolean {
  return allowsAlways(root.write)
}

/** Whether everybody may read everything, as long as the rules hold. */
export function isPublic({ root }: RuleSet): boolean {
  return allowsAlways(root.read)
}

/**
 * Whether a node may be read: some `.read` from the root down to it is true.
 * @param path of the node, also when it is queried
 * @see docs/reference/protocol.md#rules
 */
export function* mayRead(
  rules: RuleSet,
  path: Path,
  request: RequestContext,
  options: AuthorizeOptions = {},
): Reads<Decision> {
  if (options.trace !== true && isPublic(rules)) return ALLOWED
  const evaluator = new RuleEvaluator(request, undefined, options)
  const node = endsInPriority(path) ? path.slice(0, -1) : path
  for (const { read } of rulesAlong(rules.root, node)) {
    if (read === undefined) continue
    if (yield* evaluator.evaluate(read, node)) return allowedByLast(evaluator)
  }
  evaluator.recordNoRule(node, '.read')
  return afterAll(evaluator, false)
}

function* rulesAlong(root: RuleNode, path: Path): Generator<RuleNode> {
  let rules: RuleNode | undefined = root
  for (let depth = 0; rules !== undefined; depth++) {
    yield rules
    const key = path[depth]
    rules = key === undefined ? undefined : childRules(rules, key)
  }
}

/** One request to write, judged in two steps: what the one has found out need not be found out again. */
export class WriteAuthorization {
  readonly #rules: RuleSet
  readonly #writes: readonly Write[]
  readonly #request: RequestContext
  readonly #options: AuthorizeOptions
  #parts: { readonly root: WritePlace; readonly newTree: NewTreeView } | undefined

  /** @param writes not overlapping; the reads see the tree before them */
  constructor(rules: RuleSet, writes: readonly Write[], request: RequestContext, options: AuthorizeOptions = {}) {
    this.#rules = rules
    this.#writes = writes
    this.#request = request
    this.#options = options
  }

  /**
   * Whether all of the places may be written: for each, some `.write` from the root down to it is true.
   * @see docs/reference/protocol.md#rules
   */
  *mayWrite(): Reads<Decision> {
    const { root: rules } = this.#rules
    if (this.#options.trace !== true && allowsAlways(rules.write)) return ALLOWED
    const { root, newTree } = yield* this.#prepare()
    const evaluator = new RuleEvaluator(this.#request, newTree, this.#options)
    const allowed = yield* mayWriteAt(evaluator, root, rules, [])
    return afterAll(evaluator, allowed)
  }

  /**
   * Whether what the writes leave behind is valid: every `.validate` on the way to a place that is written, at it and
   * below it, whose node is there afterwards, is true.
   * @see docs/reference/protocol.md#rules
   */
  *isValid(): Reads<Decision> {
    const { root: rules } = this.#rules
    if (!rules.validates) return ALLOWED
    const { root, newTree } = yield* this.#prepare()
    const evaluator = new RuleEvaluator(this.#request, newTree, this.#options)
    const allowed = yield* new Validation(evaluator, newTree).isValid(root, rules, [])
    return afterAll(evaluator, allowed)
  }

  *#prepare(): Reads<{ readonly root: WritePlace; readonly newTree: NewTreeView }> {
    if (this.#parts === undefined) {
      const root = yield* writeTree(this.#writes)
      this.#parts = { root, newTree: new NewTreeView(root) }
    }
    return this.#parts
  }
}

/** Every rule on the way to several places is asked once. */
function* mayWriteAt(
  evaluator: RuleEvaluator,
  place: WritePlace,
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

/** The rules before it said no: what they looked at does not matter. */
function allowedByLast({ lastHasLooked, lastHasSeenTime, trace }: RuleEvaluator): Decision {
  return { allowed: true, fixed: !lastHasLooked, timeless: !lastHasSeenTime, trace: trace.lines }
}

function afterAll({ hasLooked, hasSeenTime, trace }: RuleEvaluator, allowed: boolean): Decision {
  return { allowed, fixed: !hasLooked, timeless: !hasSeenTime, trace: trace.lines }
}

/** What is answered where nothing needs to be asked. */
const ALLOWED: Decision = Object.freeze({ allowed: true, fixed: true, timeless: true, trace: [] })

/** Whether a rule is the plain `true`. */
function allowsAlways(rule: Rule | undefined): boolean {
  return rule?.expression.kind === 'constant' && rule.expression.value === true
}
