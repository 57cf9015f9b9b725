import type { Steps } from '../../scheduling/steps.ts'
import { isArrayIndex, sortKeys, sortKeysInSteps } from '../order.ts'
import { type Branch, emptyBranch, type Value } from '../value.ts'
import { sortInSteps } from './sort-steps.ts'

/** Keys listed between two pauses. */
const STEP_KEYS = 1024

/** The keys of a branch in key order, including `.priority` and `.value`. */
export function memberKeys(branch: Branch): string[] {
  return sortKeys(Object.keys(branch))
}

/** As `memberKeys`, with pauses. */
export function* memberKeysInSteps(branch: Branch): Steps<readonly string[]> {
  return yield* sortKeysInSteps(yield* keysInSteps(branch))
}

/** As `Object.keys`, with pauses, because creating the texts of many integer keys takes long. */
export function* keysInSteps(object: object): Steps<readonly string[]> {
  const known = largeKeys(object)
  if (known !== undefined) return known
  const keys: string[] = []
  yield
  for (const key in object) {
    if (Object.hasOwn(object, key)) keys.push(key)
    if (keys.length % STEP_KEYS === 0) yield
  }
  return keys
}

/** Number of members from which the keys of an object are remembered. */
const LARGE_MEMBERS = 1024

/** Keys of large objects, in the order of `Object.keys`. */
const remembered = new WeakMap<object, readonly string[]>()

/**
 * Keys of a large object that was assembled in steps, in the order of `Object.keys`: JavaScript lists the keys of an
 * object in one go, which takes long for a large one. `undefined` for any other object.
 */
export function largeKeys(object: object): readonly string[] | undefined {
  return remembered.get(object)
}

/** Remembers the keys of an object that does not change any more. @param keys in the order of `Object.keys` */
export function rememberKeys(object: object, keys: readonly string[]): void {
  if (keys.length >= LARGE_MEMBERS) remembered.set(object, keys)
}

/** Keys in the order in which they were added to an object, put into the order of `Object.keys`: array indexes first. */
export function* listedOrder(added: readonly string[]): Steps<readonly string[]> {
  const indexes: string[] = []
  const names: string[] = []
  for (const [position, key] of added.entries()) {
    if (isArrayIndex(key)) indexes.push(key)
    else names.push(key)
    if (position % LARGE_MEMBERS === LARGE_MEMBERS - 1) yield
  }
  if (indexes.length === 0) return added
  const sorted = yield* sortInSteps(indexes, (left, right) => Number(left) - Number(right))
  return sorted.concat(names)
}

/** A copy of some members of an object, in their order. */
export class CopiedMembers {
  readonly #branch = emptyBranch()
  readonly #keys: string[] = []

  set(key: string, value: Value): void {
    this.#branch[key] = value
    this.#keys.push(key)
  }

  end(): Branch {
    rememberKeys(this.#branch, this.#keys)
    return this.#branch
  }
}

/** Copies the first members, with pauses. @param keys own keys of the object */
export function* copyInSteps(
  members: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  count: number,
): Steps<CopiedMembers> {
  const copy = new CopiedMembers()
  for (let position = 0; position < count; position++) {
    const key = keys[position] as string
    copy.set(key, members[key] as Value)
    if (position % STEP_KEYS === STEP_KEYS - 1) yield
  }
  return copy
}
