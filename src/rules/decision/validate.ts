import type { Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import { type Branch, isBranch, leafOf, ownMember, type Value } from '../../tree/value.ts'
import type { TreeView } from '../expression/evaluation-context.ts'
import { childRules, type RuleNode } from '../file/rule-node.ts'
import type { RuleEvaluator } from './rule-evaluator.ts'
import type { WriteNode } from './write-trie.ts'

/** Validates the nodes above the writes, and the written values. It walks only where `.validate` rules may exist. */
export function* areWritesValid(
  evaluator: RuleEvaluator,
  write: WriteNode,
  rules: RuleNode,
  path: Path,
  newTree: TreeView,
): Reads<boolean> {
  if (!rules.validates) return true
  if (write.replaced !== undefined) {
    const { value } = write.replaced
    return value === undefined || (yield* isValueValid(evaluator, value, rules, path))
  }
  if (rules.validate && !(yield* evaluator.evaluate(rules.validate, path, newTree))) return false
  for (const [key, child] of write.children) {
    if (evaluator.isPauseDue()) yield* evaluator.pause()
    const below = childRules(rules, key)
    if (below && !(yield* areWritesValid(evaluator, child, below, [...path, key], newTree))) return false
  }
  return true
}

function* isValueValid(evaluator: RuleEvaluator, value: Value, rules: RuleNode, path: Path): Reads<boolean> {
  if (rules.validate && !(yield* evaluator.evaluate(rules.validate, path))) return false
  if (!isBranch(value) || leafOf(value) !== undefined) return true
  for (const key of keysToVisit(value, rules)) {
    if (evaluator.isPauseDue()) yield* evaluator.pause()
    // A name with a leading dot is no child.
    const child = key.startsWith('.') ? undefined : ownMember(value, key)
    const below = childRules(rules, key)
    if (child === undefined || !below?.validates) continue
    if (!(yield* isValueValid(evaluator, child, below, [...path, key]))) return false
  }
  return true
}

/** Keys of the children that may have rules, from the rules where those name fewer. */
function keysToVisit(value: Branch, rules: RuleNode): Iterable<string> {
  const keys = Object.keys(value)
  return rules.wildcard?.validates || keys.length <= rules.children.size ? keys : rules.children.keys()
}
