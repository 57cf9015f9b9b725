import type { Change } from '../tree/change.ts'
import type { Path } from '../tree/path.ts'
import { nodeAt, prune, rootNode, type TrieNode } from '../tree/path-trie.ts'

/** Items by path. A change visits the items above, at and below its path, and no others. */
export class PathIndex<T> {
  readonly #root = rootNode<T>()

  get(path: Path, name: string): T | undefined {
    return this.#find(path)?.items.get(name)
  }

  add(path: Path, name: string, item: T): void {
    nodeAt(this.#root, path).items.set(name, item)
  }

  remove(path: Path, name: string): void {
    const node = this.#find(path)
    node?.items.delete(name)
    if (node !== undefined) prune(node)
  }

  /**
   * The items that a change may concern, each once; `undefined` now and then, so that a long search can pause. Nothing may
   * be added or removed meanwhile, unless the items found afterwards may miss it.
   */
  *near({ path, writes }: Change): Generator<T | undefined> {
    let node: TrieNode<T> | undefined = this.#root
    for (const key of path) {
      yield* node.items.values()
      node = node.children.get(key)
      if (node === undefined) return
    }
    yield* node.items.values()
    if (node.children.size === 0) return
    const seen = new Set<TrieNode<T>>([node])
    for (const write of writes) {
      yield undefined
      const last = yield* itemsOnWay(node, write.path.slice(path.length), seen)
      if (write.kind === 'value' && last !== undefined) yield* itemsBelow(last)
    }
  }

  /** Paths of items below one. @param inclusive whether that one counts */
  below(path: Path, inclusive: boolean): Path[] {
    const found: Path[] = []
    const node = this.#find(path)
    if (node === undefined) return found
    if (inclusive && node.items.size > 0) found.push(path)
    for (const child of node.children.values()) collect(child, path, found)
    return found
  }

  #find(path: Path): TrieNode<T> | undefined {
    let node: TrieNode<T> | undefined = this.#root
    for (const key of path) node = node?.children.get(key)
    return node
  }
}

/** Yields the items of unseen nodes on the way to a written one. @returns that node, if there are items at or below it */
function* itemsOnWay<T>(
  from: TrieNode<T>,
  way: Path,
  seen: Set<TrieNode<T>>,
): Generator<T | undefined, TrieNode<T> | undefined> {
  let node: TrieNode<T> | undefined = from
  for (const key of way) {
    node = node.children.get(key)
    if (node === undefined) return undefined
    if (seen.has(node)) continue
    seen.add(node)
    yield* node.items.values()
  }
  return node
}

function* itemsBelow<T>(node: TrieNode<T>): Generator<T | undefined> {
  for (const child of node.children.values()) {
    yield* child.items.values()
    if (child.children.size > 0) yield* itemsBelow(child)
  }
}

function collect<T>(node: TrieNode<T>, above: Path, found: Path[]): void {
  const path = [...above, node.key]
  if (node.items.size > 0) found.push(path)
  for (const child of node.children.values()) collect(child, path, found)
}
