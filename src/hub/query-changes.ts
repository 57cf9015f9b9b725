import { covers, type Path } from '../tree/path.ts'
import type { Write } from '../tree/write.ts'
import { writesConcerning } from '../tree/writes-by-path.ts'
import type { NumberedChange } from './topic.ts'

/** Keys of the children of a list that changes write to; `undefined` if one writes the list itself or a node above it. */
export function touchedKeys(changes: readonly NumberedChange[], list: Path): ReadonlySet<string> | undefined {
  const keys = new Set<string>()
  for (const { writes } of changes) {
    for (const { kind, path } of writesNear(writes, list)) {
      const key = path[list.length]
      if (key !== undefined && covers(list, path)) keys.add(key)
      else if (kind === 'value' && covers(path, list)) return undefined
    }
  }
  return keys
}

/** The writes that may concern a list. Thousands of lists may be written by one change. */
function writesNear(writes: readonly Write[], list: Path): readonly Write[] {
  if (writes.length === 1) return writes
  const { around, below } = writesConcerning(writes, list)
  return around === undefined ? below : [around]
}

/** A single change that writes within one child, reduced to that child; `undefined` for all others. */
export function changeWithinChild(
  [change, another]: readonly NumberedChange[],
  list: Path,
): NumberedChange | undefined {
  if (change === undefined || another !== undefined || change.isUnknown === true) return undefined
  if (touchedKeys([change], list)?.size !== 1) return undefined
  const writes = writesConcerning(change.writes, list).below.filter(({ path }) => path.length > list.length)
  const replaces = writes.some(({ kind, path }) => kind === 'value' && path.length === list.length + 1)
  return replaces ? undefined : { ...change, writes }
}
