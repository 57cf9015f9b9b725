import { PRIORITY } from './key.ts'
import type { Path } from './path.ts'
import type { Priority } from './priority.ts'
import { type Branch, emptyBranch, isBranch, type Leaf, ownMember, setMember, VALUE, type Value } from './value.ts'
import type { Write } from './write.ts'

/**
 * Applies `write` at `path` below `node`; branches are changed in place.
 * @param path path from `node` to the written node, without its first `skipped` keys
 * @returns `undefined` when nothing is left
 * @see docs/reference/protocol.md#json-to-tree
 */
export function edit(node: Value | undefined, path: Path, write: Write, skipped = 0): Value | undefined {
  const key = path[skipped]
  if (key === undefined) return write.kind === 'value' ? write.value : withPriority(node, write.priority)
  const child = isBranch(node) ? ownMember(node, key) : undefined
  const edited = edit(child, path, write, skipped + 1)
  if (edited === child && !isBranch(child)) return node
  if (edited === undefined) return isBranch(node) ? withoutChild(node, key) : node
  const branch = isBranch(node) ? node : emptyBranch()
  // The first child replaces the leaf; the priority stays.
  Reflect.deleteProperty(branch, VALUE)
  setMember(branch, key, edited)
  return branch
}

function withoutChild(branch: Branch, key: string): Value | undefined {
  Reflect.deleteProperty(branch, key)
  const keys = Object.keys(branch)
  return keys.length === 0 || (keys.length === 1 && keys[0] === PRIORITY) ? undefined : branch
}

function withPriority(node: Value | undefined, priority: Priority | undefined): Value | undefined {
  if (node === undefined) return undefined
  if (priority === undefined) return isBranch(node) ? withoutPriority(node) : node
  const branch = isBranch(node) ? node : leafBranch(node)
  branch[PRIORITY] = priority
  return branch
}

function leafBranch(leaf: Leaf): Branch {
  const branch = emptyBranch()
  branch[VALUE] = leaf
  return branch
}

function withoutPriority(branch: Branch): Value {
  Reflect.deleteProperty(branch, PRIORITY)
  return ownMember(branch, VALUE) ?? branch
}
