import type { Path } from './path.ts'

/** A node of a trie of items by path, which finds the items above, at and below a path. */
export interface TrieNode<T> {
  readonly key: string
  readonly parent: TrieNode<T> | undefined
  readonly children: Map<string, TrieNode<T>>
  /** Items at this path, by name. */
  readonly items: Map<string, T>
}

export function rootNode<T>(): TrieNode<T> {
  return newNode('', undefined)
}

/** The node at a path, created where it is missing. */
export function nodeAt<T>(root: TrieNode<T>, path: Path): TrieNode<T> {
  let node = root
  for (const key of path) {
    let next = node.children.get(key)
    if (next === undefined) {
      next = newNode(key, node)
      node.children.set(key, next)
    }
    node = next
  }
  return node
}

/** Removes an empty node, and every ancestor that becomes empty. */
export function prune<T>(node: TrieNode<T>): void {
  let empty = node
  while (empty.parent !== undefined && empty.items.size === 0 && empty.children.size === 0) {
    empty.parent.children.delete(empty.key)
    empty = empty.parent
  }
}

function newNode<T>(key: string, parent: TrieNode<T> | undefined): TrieNode<T> {
  return { key, parent, children: new Map(), items: new Map() }
}
