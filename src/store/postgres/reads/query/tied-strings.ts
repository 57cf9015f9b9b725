import { sortInSteps } from '../../../../tree/json/sort-steps.ts'
import { compareText } from '../../../../tree/order.ts'
import type { Reading } from '../reading.ts'

/** Text of all children that is held to divide them, in UTF-16 code units, and greatest and least text of one. */
const HELD = 4 * 1024 * 1024
const WIDEST = 64 * 1024
const LEAST = 16

/** Children whose strings agree up to a place, in key order, and where they stand in the order. */
interface Group<T> {
  readonly first: number
  readonly items: readonly T[]
  /** In UTF-16 code units. */
  readonly from: number
}

/** Reads the strings of children, some at a time, in the order of the keys. */
export type EachString = (keys: readonly string[], use: (key: string, text: string) => void) => Promise<void>

/**
 * Sorts children whose strings have the same beginning. Besides a page that is being read it holds one whole string and a
 * bounded part of the others: what all of a group have in common is passed over, and what follows divides the group.
 * @param items in the order of their keys
 * @param from length of the beginning, in UTF-16 code units
 */
export async function sortTied<T extends { readonly key: string }>(
  reading: Reading,
  each: EachString,
  items: readonly T[],
  from: number,
): Promise<T[]> {
  const sorted = [...items]
  const groups: Group<T>[] = [{ first: 0, items, from }]
  for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
    const keys = group.items.map(({ key }) => key)
    const common = await commonLength(each, keys, group.from)
    // Equal strings stay in the order of their keys.
    if (common === undefined) continue
    const width = Math.min(WIDEST, Math.max(LEAST, Math.trunc(HELD / keys.length)))
    const parts = new Map<string, string>()
    await each(keys, (key, text) => parts.set(key, own(text.slice(common, common + width))))
    const partOf = ({ key }: T) => parts.get(key) ?? ''
    const ordered = await reading.run(
      sortInSteps(
        group.items,
        (left, right) => compareText(partOf(left), partOf(right)) || compareText(left.key, right.key),
      ),
    )
    for (const [index, item] of ordered.entries()) sorted[group.first + index] = item
    for (let start = 0; start < ordered.length; ) {
      let end = start + 1
      const part = partOf(ordered[start] as T)
      while (end < ordered.length && partOf(ordered[end] as T) === part) end++
      if (end - start > 1)
        groups.push({ first: group.first + start, items: ordered.slice(start, end), from: common + part.length })
      start = end
    }
  }
  return sorted
}

/** Length of what all strings have in common at their beginnings; `undefined` when they are equal. @param from known length */
async function commonLength(each: EachString, keys: readonly string[], from: number): Promise<number | undefined> {
  let first: string | undefined
  let common = Number.POSITIVE_INFINITY
  let areEqual = true
  await each(keys, (_, text) => {
    if (first === undefined) first = text
    if (text === first) return
    areEqual = false
    common = agreement(first, text, from, Math.min(common, first.length, text.length))
  })
  return areEqual ? undefined : common
}

/** Length up to which two texts agree. @param least they agree so far at least @param most greatest answer */
function agreement(left: string, right: string, least: number, most: number): number {
  let [known, open] = [Math.min(least, most), most]
  while (known < open) {
    const middle = Math.ceil((known + open) / 2)
    if (left.slice(known, middle) === right.slice(known, middle)) known = middle
    else open = middle - 1
  }
  return known
}

/** A copy that shares no memory with a longer text. */
export function own(text: string): string {
  return JSON.parse(JSON.stringify(text))
}
