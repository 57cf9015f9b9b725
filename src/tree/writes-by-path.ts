import { covers, type Path } from './path.ts'
import { nodeAt, rootNode, type TrieNode } from './path-trie.ts'
import type { Write } from './write.ts'

/** Writes up to which looking at each is faster. */
const FEW = 16

interface Placed {
  readonly write: Write
  /** Place in the order of the writes. */
  readonly index: number
}

const indexes = new WeakMap<readonly Write[], TrieNode<Placed>>()

/** The writes of a change that concern a node: thousands may be asked for, one for each watched node. */
export interface ConcernedWrites {
  /** The write of a value at or above the node. */
  readonly around: Write | undefined
  /** Without such a write: those at and below the node, in order. */
  readonly below: readonly Write[]
}

/**
 * Finds the writes that concern a node. Many writes are indexed once, so that the cost does not grow with their number.
 * @param writes of one change: those of values do not overlap
 */
export function writesConcerning(writes: readonly Write[], path: Path): ConcernedWrites {
  if (writes.length <= FEW) {
    const around = writes.find((write) => write.kind === 'value' && covers(write.path, path))
    return { around, below: around === undefined ? writes.filter((write) => covers(path, write.path)) : [] }
  }
  let node: TrieNode<Placed> | undefined = indexOf(writes)
  for (const key of path) {
    const around = valueAt(node)
    if (around !== undefined) return { around, below: [] }
    node = node.children.get(key)
    if (node === undefined) return { around: undefined, below: [] }
  }
  const around = valueAt(node)
  if (around !== undefined) return { around, below: [] }
  const found: Placed[] = []
  collect(node, found)
  return { around: undefined, below: found.sort((a, b) => a.index - b.index).map(({ write }) => write) }
}

function indexOf(writes: readonly Write[]): TrieNode<Placed> {
  const known = indexes.get(writes)
  if (known !== undefined) return known
  const root = rootNode<Placed>()
  for (const [index, write] of writes.entries()) nodeAt(root, write.path).items.set(write.kind, { write, index })
  indexes.set(writes, root)
  return root
}

function valueAt({ items }: TrieNode<Placed>): Write | undefined {
  return items.get('value')?.write
}

function collect({ items, children }: TrieNode<Placed>, found: Placed[]): void {
  found.push(...items.values())
  for (const child of children.values()) collect(child, found)
}
