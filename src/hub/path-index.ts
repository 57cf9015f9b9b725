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

  /** Visits the items that a change may concern, each once. */
  visit({ path, writes }: Change, use: (item: T) => void): void {
    let node: TrieNode<T> | undefined = this.#root
    for (const key of path) {
      useItems(node, use)
      node = node.children.get(key)
      if (node === undefined) return
    }
    useItems(node, use)
    if (node.children.size === 0) return
    const seen = new Set<TrieNode<T>>([node])
    for (const write of writes) {
      if (write.kind === 'value') visitWrite(node, write.path.slice(path.length), seen, use)
      else visitPath(node, write.path.slice(path.length), seen, use)
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

function useItems<T>({ items }: TrieNode<T>, use: (item: T) => void): void {
  for (const item of items.values()) use(item)
}

/** Visits the unseen nodes on the way to a written one. @returns that node, if there are items at or below it */
function visitPath<T>(
  from: TrieNode<T>,
  way: Path,
  seen: Set<TrieNode<T>>,
  use: (item: T) => void,
): TrieNode<T> | undefined {
  let node: TrieNode<T> | undefined = from
  for (const key of way) {
    node = node.children.get(key)
    if (node === undefined) return undefined
    if (seen.has(node)) continue
    seen.add(node)
    useItems(node, use)
  }
  return node
}

function visitWrite<T>(from: TrieNode<T>, way: Path, seen: Set<TrieNode<T>>, use: (item: T) => void): void {
  const node = visitPath(from, way, seen, use)
  if (node !== undefined) for (const child of node.children.values()) visitAll(child, use)
}

function visitAll<T>(node: TrieNode<T>, use: (item: T) => void): void {
  useItems(node, use)
  for (const child of node.children.values()) visitAll(child, use)
}

function collect<T>(node: TrieNode<T>, above: Path, found: Path[]): void {
  const path = [...above, node.key]
  if (node.items.size > 0) found.push(path)
  for (const child of node.children.values()) collect(child, path, found)
}
