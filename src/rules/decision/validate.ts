import type { Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import { type Branch, isBranch, leafOf, ownMember, type Value } from '../../tree/value.ts'
import type { TreeView } from '../expression/evaluation-context.ts'
import { childRules, type RuleNode } from '../file/rule-node.ts'
import type { RuleEvaluator } from './rule-evaluator.ts'
import type { WriteNode } from './write-trie.ts'

/** Walks writes and rules together, only where `.validate` rules may exist. */
export class Validation {
  readonly #evaluator: RuleEvaluator
  readonly #newTree: TreeView

  constructor(evaluator: RuleEvaluator, newTree: TreeView) {
    this.#evaluator = evaluator
    this.#newTree = newTree
  }

  /** Validates the nodes above the writes, and the written values. */
  *isValid(place: WriteNode, rules: RuleNode, path: Path): Reads<boolean> {
    if (!rules.validates) return true
    if (place.replaced !== undefined) {
      const { value } = place.replaced
      return value === undefined || (yield* this.#isValueValid(value, rules, path))
    }
    if (rules.validate && !(yield* this.#evaluator.evaluate(rules.validate, path, this.#newTree))) return false
    for (const [key, child] of place.children) {
      if (this.#evaluator.isPauseDue()) yield* this.#evaluator.pause()
      const below = childRules(rules, key)
      if (below && !(yield* this.isValid(child, below, [...path, key]))) return false
    }
    return true
  }

  *#isValueValid(value: Value, rules: RuleNode, path: Path): Reads<boolean> {
    if (rules.validate && !(yield* this.#evaluator.evaluate(rules.validate, path))) return false
    if (!isBranch(value) || leafOf(value) !== undefined) return true
    for (const key of keysToAsk(value, rules)) {
      if (this.#evaluator.isPauseDue()) yield* this.#evaluator.pause()
      if (!(yield* this.#isChildValid(value, key, rules, path))) return false
    }
    return true
  }

  *#isChildValid(branch: Branch, key: string, rules: RuleNode, path: Path): Reads<boolean> {
    // A name with a leading dot is no child.
    const child = key.startsWith('.') ? undefined : ownMember(branch, key)
    const below = childRules(rules, key)
    if (child === undefined || !below?.validates) return true
    return yield* this.#isValueValid(child, below, [...path, key])
  }
}

/** Keys of the children that may have rules, from the rules where those name fewer. */
function keysToAsk(value: Branch, rules: RuleNode): Iterable<string> {
  const keys = Object.keys(value)
  return rules.wildcard?.validates || keys.length <= rules.children.size ? keys : rules.children.keys()
}
