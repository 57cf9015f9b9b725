import type { Steps } from '../../scheduling/steps.ts'

/** Items sorted, merged or changed between two pauses. */
const STEP_ITEMS = 1024

/**
 * Sorts with pauses: the built-in sort orders runs, which are then merged in pairs. Equal items keep their order.
 * @param compare negative, zero or positive when the left item sorts before, equal to or after the right one
 * @returns a new list
 */
export function* sortInSteps<T>(items: readonly T[], compare: (left: T, right: T) => number): Steps<T[]> {
  let runs: T[][] = []
  for (let start = 0; start < items.length; start += STEP_ITEMS) {
    runs.push(items.slice(start, start + STEP_ITEMS).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* mergeInSteps(runs[index] ?? [], runs[index + 1] ?? [], compare))
    }
    runs = merged
  }
  return runs[0] ?? []
}

/** As `map`, with pauses. */
export function* mapInSteps<T, R>(items: readonly T[], change: (item: T) => R): Steps<R[]> {
  const changed: R[] = []
  for (const item of items) {
    changed.push(change(item))
    if (changed.length % STEP_ITEMS === 0) yield
  }
  return changed
}

/** As `filter`, with pauses. */
export function* filterInSteps<T>(items: readonly T[], accepts: (item: T) => boolean): Steps<T[]> {
  const accepted: T[] = []
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as T
    if (accepts(item)) accepted.push(item)
    if (index % STEP_ITEMS === STEP_ITEMS - 1) yield
  }
  return accepted
}

function* mergeInSteps<T>(left: readonly T[], right: readonly T[], compare: (left: T, right: T) => number): Steps<T[]> {
  const merged: T[] = []
  let [onLeft, onRight] = [0, 0]
  while (onLeft < left.length || onRight < right.length) {
    const [first, second] = [left[onLeft], right[onRight]]
    const takesRight = onLeft === left.length || (onRight < right.length && compare(first as T, second as T) > 0)
    if (takesRight) onRight++
    else onLeft++
    merged.push((takesRight ? second : first) as T)
    if (merged.length % STEP_ITEMS === 0) yield
  }
  return merged
}
