import { checkKey } from '../../tree/key.ts'

/** The keys of a name such as `a/b`. */
export interface ChildKeys {
  readonly keys: readonly string[]
  /** Number of leading keys that are legal in the tree. */
  readonly legal: number
}

/** @param name a key or a path; empty keys are ignored */
export function childKeys(name: string): ChildKeys {
  const keys = name.split('/').filter((key) => key !== '')
  const illegal = keys.findIndex((key) => !isKey(key))
  return { keys, legal: illegal === -1 ? keys.length : illegal }
}

function isKey(text: string): boolean {
  try {
    checkKey(text, 'bad-path')
    return true
  } catch {
    return false
  }
}
