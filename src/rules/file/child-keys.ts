import { checkKey } from '../../tree/key.ts'

/** The keys that a name such as `a/b` leads through. */
export interface ChildKeys {
  readonly keys: readonly string[]
  /** How many of them, from the first on, can be keys of the data. */
  readonly legal: number
}

/** @param name a key or a path; empty keys do not count */
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
