import { PRIORITY } from './key.ts'

/**
 * The value of an existing node as the tree keeps it: no null, no empty object, no array, finite numbers only.
 * A priority is the member `.priority` of its object; a leaf with a priority is
 * `{".value": leaf, ".priority": priority}`. Absent is `undefined`.
 */
export type Value = Leaf | Branch
export type Leaf = string | number | boolean

/** Only own members count: read it with `Object.keys` and `ownMember`, write it with `setMember`. */
export interface Branch {
  [key: string]: Value
}

export const VALUE = '.value'
export const SERVER_VALUE = '.sv'

export function isBranch(value: unknown): value is Branch {
  return typeof value === 'object' && value !== null
}

/** A branch without a prototype: every key, even `__proto__`, is an ordinary one. */
export function emptyBranch(): Branch {
  return Object.create(null) as Branch
}

/** The child with this key, never an inherited property. */
export function ownMember(branch: Branch, key: string): Value | undefined {
  return Object.hasOwn(branch, key) ? branch[key] : undefined
}

/** The leaf of a value, with or without a priority; `undefined` for a node with children. */
export function leafOf(value: Value): Leaf | undefined {
  if (!isBranch(value)) return value
  const leaf = ownMember(value, VALUE)
  return isBranch(leaf) ? undefined : leaf
}

/** Keys of the children of a value, without `.priority` and `.value`; none for a leaf. */
export function childKeys(value: Value): string[] {
  return isBranch(value) ? Object.keys(value).filter((key) => key !== PRIORITY && key !== VALUE) : []
}

/** The value at a path below a node. */
export function valueAt(node: Value | undefined, path: readonly string[]): Value | undefined {
  let value = node
  for (const key of path) value = isBranch(value) ? ownMember(value, key) : undefined
  return value
}

/** Sets a member. A branch of `JSON.parse` has a prototype, so that assigning `__proto__` would change that. */
export function setMember(branch: Branch, key: string, value: Value): void {
  if (key === '__proto__') {
    Object.defineProperty(branch, key, { value, writable: true, enumerable: true, configurable: true })
  } else branch[key] = value
}
