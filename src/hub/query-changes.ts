import { covers, type Path } from '../tree/path.ts'
import type { NumberedChange } from './topic.ts'

/** Keys of the children of a list that changes write to; `undefined` if one writes the list itself or a node above it. */
export function touchedKeys(changes: readonly NumberedChange[], list: Path): ReadonlySet<string> | undefined {
  const keys = new Set<string>()
  for (const { writes } of changes) {
    for (const { kind, path } of writes) {
      const key = path[list.length]
      if (key !== undefined && covers(list, path)) keys.add(key)
      else if (kind === 'value' && covers(path, list)) return undefined
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
  const writes = change.writes.filter(({ path }) => path.length > list.length && covers(list, path))
  const replaces = writes.some(({ kind, path }) => kind === 'value' && path.length === list.length + 1)
  return replaces ? undefined : { ...change, writes }
}
