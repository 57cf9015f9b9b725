import type { Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import { type Branch, isBranch, leafOf, ownMember, type Value } from '../../tree/value.ts'
import type { TreeView } from '../expression/evaluation-context.ts'
import { childRules, type RuleNode } from '../file/rule-node.ts'
import type { RuleEvaluator } from './rule-evaluator.ts'
import type { WritePlace } from './write-trie.ts'

/** Walks writes and rules together, only where some `.validate` may stand. */
export class Validation {
  readonly #evaluator: RuleEvaluator
  readonly #newTree: TreeView

  constructor(evaluator: RuleEvaluator, newTree: TreeView) {
    this.#evaluator = evaluator
    this.#newTree = newTree
  }

  /** What is on the way to the writes, and what they write. */
  *isValid(place: WritePlace, rules: RuleNode, path: Path): Reads<boolean> {
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
    // What begins with a dot is no child.
    const child = key.startsWith('.') ? undefined : ownMember(branch, key)
    const below = childRules(rules, key)
    if (child === undefined || !below?.validates) return true
    return yield* this.#isValueValid(child, below, [...path, key])
  }
}

/** Keys of the children that some rule may be about: those named in the rules where these are fewer. */
function keysToAsk(value: Branch, rules: RuleNode): Iterable<string> {
  const keys = Object.keys(value)
  return rules.wildcard?.validates || keys.length <= rules.children.size ? keys : rules.children.keys()
}
