import { endsInPriority, type Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import type { TreeView } from '../expression/evaluation-context.ts'
import type { RequestContext } from '../expression/request-context.ts'
import { EvaluationPostponed, unknown } from '../expression/rule-errors.ts'
import { childRules, type Rule, type RuleNode } from '../file/rule-node.ts'
import type { RuleSet } from '../file/rule-set.ts'
import type { Chance } from './outcomes.ts'
import { RuleEvaluator } from './rule-evaluator.ts'

/** Which paths a write may change: the node, a child under a generated key, or any paths below. */
export type Reach = 'node' | 'new-child' | 'below'

/** What is known of the permission of a write before its payload is read. */
export interface WriteChance {
  readonly chance: Chance
  /** Whether the chance depends on data of the tree. */
  readonly hasReadTree: boolean
  /** The rule that was evaluated last; `undefined` without one. */
  readonly last: Rule | undefined
}

/** Maximum rules evaluated below a path; with more rules some may be true. */
const MOST_BELOW = 1000

/**
 * The chance that a write is allowed, before its payload is read. It is `none` only where `WriteAuthorization.mayWrite`
 * denies every payload, and `some` where the evaluation takes too long.
 * @param path of the node, also when its priority is written
 * @see docs/reference/protocol.md#rules
 */
export function* mayWriteSome(rules: RuleSet, path: Path, reach: Reach, request: RequestContext): Reads<WriteChance> {
  if (rules.isWritable) return { chance: 'sure', hasReadTree: false, last: undefined }
  const evaluator = new RuleEvaluator(request, UNKNOWN_TREE, { patience: 1 })
  let chance: Chance = 'some'
  try {
    chance = yield* chanceAt(evaluator, rules.root, endsInPriority(path) ? path.slice(0, -1) : path, reach)
  } catch (error) {
    if (!(error instanceof EvaluationPostponed)) throw error
  }
  return { chance, hasReadTree: evaluator.hasReadTree, last: evaluator.last }
}

function* chanceAt(evaluator: RuleEvaluator, root: RuleNode, path: Path, reach: Reach): Reads<Chance> {
  let chance: Chance = 'none'
  let node: RuleNode | undefined = root
  for (let depth = 0; node !== undefined; depth++) {
    const here: Chance = yield* chanceOf(evaluator, node, path)
    if (here === 'sure') return here
    if (here === 'some') chance = here
    const key = path[depth]
    if (key === undefined) break
    node = childRules(node, key)
  }
  if (node === undefined || reach === 'node' || chance !== 'none') return chance
  if (reach === 'below') return (yield* isPossibleBelow(evaluator, node, path)) ? 'some' : 'none'
  // No rule names a generated key.
  return node.wildcard === undefined ? 'none' : yield* chanceOf(evaluator, node.wildcard, path)
}

function* chanceOf(evaluator: RuleEvaluator, { write }: RuleNode, path: Path): Reads<Chance> {
  return write === undefined ? 'none' : yield* evaluator.chanceOf(write, path)
}

function* isPossibleBelow(evaluator: RuleEvaluator, top: RuleNode, path: Path): Reads<boolean> {
  const waiting: [node: RuleNode, known: Path][] = [[top, path]]
  let seen = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [{ children, wildcard, path: place }, known] = next
    seen += children.size
    if (seen > MOST_BELOW) return true
    // Below an unknown key every key is unknown.
    const isKnown = known.length === place.length
    for (const [key, child] of children) waiting.push([child, isKnown ? [...known, key] : known])
    if (wildcard !== undefined) waiting.push([wildcard, known])
    if (evaluator.isPauseDue()) yield* evaluator.pause()
    if (next[0] !== top && (yield* chanceOf(evaluator, next[0], known)) !== 'none') return true
  }
  return false
}

/** The tree after a write whose payload is not known yet: every question about it fails. */
const UNKNOWN_TREE: TreeView = {
  leaf: unknown,
  exists: unknown,
  hasChildren: unknown,
  priority: unknown,
}
