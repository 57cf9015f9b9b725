import type { Path } from '../tree/path.ts'
import { writesConcerning } from '../tree/writes-by-path.ts'
import type { NumberedChange } from './topic.ts'

/** Keys of the children of a list that changes write to; `undefined` if one writes the list itself or a node above it. */
export function touchedKeys(changes: readonly NumberedChange[], list: Path): ReadonlySet<string> | undefined {
  const keys = new Set<string>()
  for (const { writes } of changes) {
    const { around, below } = writesConcerning(writes, list)
    if (around !== undefined) return undefined
    for (const { path } of below) {
      const key = path[list.length]
      if (key !== undefined) keys.add(key)
    }
  }
  return keys
}

/** A single change that writes within one child, reduced to that child; `undefined` for all others. */
export function changeWithinChild(
  [change, another]: readonly NumberedChange[],
  list: Path,
): NumberedChange | undefined {
  if (change === undefined || another !== undefined || touchedKeys([change], list)?.size !== 1) return undefined
  const writes = writesConcerning(change.writes, list).below.filter(({ path }) => path.length > list.length)
  const replaces = writes.some(({ kind, path }) => kind === 'value' && path.length === list.length + 1)
  return replaces ? undefined : { ...change, writes }
}
