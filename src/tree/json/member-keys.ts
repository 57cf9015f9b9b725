import type { Steps } from '../../scheduling/steps.ts'
import { sortKeys, sortKeysInSteps } from '../order.ts'
import type { Branch } from '../value.ts'

/** Keys listed between two pauses. */
const STEP_KEYS = 1024

/** The keys of a branch in key order, including `.priority` and `.value`. */
export function memberKeys(branch: Branch): string[] {
  return sortKeys(Object.keys(branch))
}

/** As `memberKeys`, with pauses. */
export function* memberKeysInSteps(branch: Branch): Steps<string[]> {
  return yield* sortKeysInSteps(yield* keysInSteps(branch))
}

/** As `Object.keys`, with pauses, because creating the texts of many integer keys takes long. */
export function* keysInSteps(object: object): Steps<string[]> {
  const keys: string[] = []
  yield
  for (const key in object) {
    if (Object.hasOwn(object, key)) keys.push(key)
    if (keys.length % STEP_KEYS === 0) yield
  }
  return keys
}
