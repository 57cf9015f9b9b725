import { PRIORITY } from '../../tree/key.ts'
import type { Path } from '../../tree/path.ts'
import type { Priority } from '../../tree/priority.ts'
import type { Reads } from '../../tree/read-program.ts'
import { isBranch, type Leaf, leafOf, ownMember, type Value, valueAt } from '../../tree/value.ts'
import { CURRENT_TREE, countChildren, type EvaluationContext, type TreeView } from '../expression/evaluation-context.ts'
import { findWrites, type WriteNode } from './write-trie.ts'

/**
 * The tree after the writes of a request, as a view over the current tree. It caches its findings about nodes above
 * writes, because nothing changes during the evaluation.
 * @see docs/reference/protocol.md#rules
 */
export class NewTreeView implements TreeView {
  readonly #root: WriteNode
  readonly #survives = new Map<WriteNode, boolean>()
  readonly #keepsChild = new Map<WriteNode, boolean | undefined>()

  constructor(root: WriteNode) {
    this.#root = root
  }

  *leaf(path: Path, context: EvaluationContext): Reads<Leaf | undefined> {
    const found = findWrites(this.#root, path)
    if (found.kind === 'replaced') return leafIn(found.value, found.rest)
    // A value that is set below a leaf removes the leaf; a deletion below it changes nothing.
    if (found.kind === 'place' && found.place.isFilled) return undefined
    return yield* CURRENT_TREE.leaf(path, context)
  }

  *exists(path: Path, context: EvaluationContext): Reads<boolean> {
    const found = findWrites(this.#root, path)
    if (found.kind === 'replaced') return valueAt(found.value, found.rest) !== undefined
    if (found.kind === 'place' && found.place.isTouched) return yield* this.#survivesAt(found.place, path, context)
    return yield* CURRENT_TREE.exists(path, context)
  }

  *hasChildren(path: Path, context: EvaluationContext): Reads<boolean> {
    const found = findWrites(this.#root, path)
    if (found.kind === 'replaced') return hasChildrenIn(valueAt(found.value, found.rest))
    if (found.kind === 'none' || !found.place.isTouched) return yield* CURRENT_TREE.hasChildren(path, context)
    if (found.place.isFilled) return true
    return (yield* this.#keepsChildAt(found.place, path, context)) === true
  }

  *priority(path: Path, context: EvaluationContext): Reads<Priority | undefined> {
    const found = findWrites(this.#root, path)
    if (found.kind === 'replaced') return priorityIn(valueAt(found.value, found.rest))
    const written = found.kind === 'place' ? found.place.prioritized : undefined
    const priority = written === undefined ? yield* CURRENT_TREE.priority(path, context) : written.priority
    if (priority === undefined) return undefined
    return (yield* this.exists(path, context)) ? priority : undefined
  }

  /** Whether a node exists after the writes to it and below it. */
  *#survivesAt(place: WriteNode, path: Path, context: EvaluationContext): Reads<boolean> {
    const known = this.#survives.get(place)
    if (known !== undefined) return known
    const survives = yield* this.#findSurvives(place, path, context)
    this.#survives.set(place, survives)
    return survives
  }

  *#findSurvives(place: WriteNode, path: Path, context: EvaluationContext): Reads<boolean> {
    if (place.replaced !== undefined) return place.replaced.value !== undefined
    if (place.isFilled) return true
    const kept = yield* this.#keepsChildAt(place, path, context)
    // Without children it is a leaf, which deletions below do not change, or it did not exist.
    return kept ?? (yield* CURRENT_TREE.exists(path, context))
  }

  /** Whether a node with only deletions below keeps a child; `undefined` when it had none before. */
  *#keepsChildAt(place: WriteNode, path: Path, context: EvaluationContext): Reads<boolean | undefined> {
    if (this.#keepsChild.has(place)) return this.#keepsChild.get(place)
    const keeps = yield* this.#findKeepsChild(place, path, context)
    this.#keepsChild.set(place, keeps)
    return keeps
  }

  *#findKeepsChild(place: WriteNode, path: Path, context: EvaluationContext): Reads<boolean | undefined> {
    const count = yield* countChildren(path, context)
    if (count === 0) return undefined
    if (count > place.children.size) return true
    let untouched = count
    for (const [key, child] of place.children) {
      if (context.budget.isPauseDue()) yield* context.budget.pause()
      const childPath = [...path, key]
      if (!(yield* CURRENT_TREE.exists(childPath, context))) continue
      if (!child.isTouched || (yield* this.#survivesAt(child, childPath, context))) return true
      untouched--
    }
    return untouched > 0
  }
}

function leafIn(value: Value | undefined, rest: Path): Leaf | undefined {
  const found = valueAt(value, rest)
  return found === undefined ? undefined : leafOf(found)
}

function hasChildrenIn(value: Value | undefined): boolean {
  return isBranch(value) && leafOf(value) === undefined
}

function priorityIn(value: Value | undefined): Priority | undefined {
  const priority = isBranch(value) ? ownMember(value, PRIORITY) : undefined
  return typeof priority === 'string' || typeof priority === 'number' ? priority : undefined
}
