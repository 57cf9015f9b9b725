import type { Steps } from '../scheduling/steps.ts'
import { sortInSteps } from './json/sort-steps.ts'
import { covers, type Path } from './path.ts'
import { nodeAt, rootNode, type TrieNode } from './path-trie.ts'
import type { Write } from './write.ts'

/** Writes up to which looking at each is faster. */
const FEW = 16
/** Writes from which they are looked at in steps. */
const MANY = 1024
/** Writes looked at between two pauses. */
const STEP_WRITES = 256

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
  const node = nodeOrAround(writes, path)
  if (node === undefined) return { around: undefined, below: [] }
  if ('kind' in node) return { around: node, below: [] }
  const found = [...placedBelow(node)].sort((a, b) => a.index - b.index)
  return { around: undefined, below: found.map(({ write }) => write) }
}

/** The write of a value at or above a node, or else the node in the index of the writes. */
function nodeOrAround(writes: readonly Write[], path: Path): Write | TrieNode<Placed> | undefined {
  let node: TrieNode<Placed> | undefined = indexOf(writes)
  for (const key of path) {
    const around = valueAt(node)
    if (around !== undefined) return around
    node = node.children.get(key)
    if (node === undefined) return undefined
  }
  return valueAt(node) ?? node
}

/** Whether there are so many writes that looking at all of them takes several turns of the event loop. */
export function areMany({ length }: readonly Write[]): boolean {
  return length > MANY
}

/** As `writesConcerning`, with pauses where there are many writes. */
export function* concerningInSteps(writes: readonly Write[], path: Path): Steps<ConcernedWrites> {
  if (!areMany(writes)) return writesConcerning(writes, path)
  if (!indexes.has(writes)) {
    const root = rootNode<Placed>()
    for (let index = 0; index < writes.length; index++) {
      place(root, writes[index] as Write, index)
      if (index % STEP_WRITES === STEP_WRITES - 1) yield
    }
    indexes.set(writes, root)
  }
  const node = nodeOrAround(writes, path)
  if (node === undefined) return { around: undefined, below: [] }
  if ('kind' in node) return { around: node, below: [] }
  const found: Placed[] = []
  for (const each of placedBelow(node)) {
    found.push(each)
    if (found.length % STEP_WRITES === 0) yield
  }
  const sorted = yield* sortInSteps(found, (a, b) => a.index - b.index)
  const below: Write[] = []
  for (const { write } of sorted) {
    below.push(write)
    if (below.length % STEP_WRITES === 0) yield
  }
  return { around: undefined, below }
}

function indexOf(writes: readonly Write[]): TrieNode<Placed> {
  const known = indexes.get(writes)
  if (known !== undefined) return known
  const root = rootNode<Placed>()
  for (const [index, write] of writes.entries()) place(root, write, index)
  indexes.set(writes, root)
  return root
}

function place(root: TrieNode<Placed>, write: Write, index: number): void {
  nodeAt(root, write.path).items.set(write.kind, { write, index })
}

function valueAt({ items }: TrieNode<Placed>): Write | undefined {
  return items.get('value')?.write
}

function* placedBelow({ items, children }: TrieNode<Placed>): Generator<Placed> {
  yield* items.values()
  for (const child of children.values()) yield* placedBelow(child)
}
