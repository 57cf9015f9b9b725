import { sortInSteps } from '../../../tree/json/sort-steps.ts'
import { compareText } from '../../../tree/order.ts'
import type { ChildStrings, StringPlace } from './child-strings.ts'

/** Text of all children that is held to divide them, in UTF-16 code units, and greatest and least text of one. */
const HELD = 4 * 1024 * 1024
const WIDEST = 64 * 1024
const LEAST = 16

/** A child whose string agrees with those of others up to a place. */
interface Tied<T> {
  readonly item: T
  readonly place: StringPlace
  /** What follows, as far as it is compared now. */
  text: string
}

/** Children that agree, and where they stand in the order. */
interface Group<T> {
  readonly first: number
  readonly tied: Tied<T>[]
}

/**
 * Sorts children whose strings have the same beginning. It holds a bounded part of the strings: what all of a group have
 * in common is passed over, and what follows divides the group.
 * @param items in the order of their keys
 * @param from length of the beginning, in UTF-16 code units
 */
export function* sortTied<T extends { readonly key: string }>(
  strings: ChildStrings,
  items: readonly T[],
  from: number,
): Generator<void, T[]> {
  const sorted = [...items]
  const groups: Group<T>[] = [
    { first: 0, tied: items.map((item) => ({ item, place: { chunk: 0, at: from }, text: '' })) },
  ]
  for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
    // Equal strings stay in the order of their keys.
    if (yield* passCommon(strings, group.tied)) continue
    const width = Math.min(WIDEST, Math.max(LEAST, Math.trunc(HELD / group.tied.length)))
    for (const tied of group.tied) {
      tied.text = own(strings.read(tied.item.key, tied.place, width))
      yield
    }
    const ordered = yield* sortInSteps(
      group.tied,
      (left, right) => compareText(left.text, right.text) || compareText(left.item.key, right.item.key),
    )
    for (const [index, { item }] of ordered.entries()) sorted[group.first + index] = item
    for (const part of groupsOf(ordered, group.first)) groups.push(part)
    for (const tied of ordered) {
      tied.place.at += tied.text.length
      tied.text = ''
    }
  }
  return sorted
}

/** Moves all places behind the text that follows all of them. @returns whether all strings are equal */
function* passCommon<T extends { readonly key: string }>(
  strings: ChildStrings,
  tied: readonly Tied<T>[],
): Generator<void, boolean> {
  for (;;) {
    let first: string | undefined
    let common = Number.POSITIVE_INFINITY
    let shortest = Number.POSITIVE_INFINITY
    let longest = 0
    for (const { item, place } of tied) {
      const text = strings.restOfChunk(item.key, place)
      first ??= text
      common = text === first ? Math.min(common, text.length) : commonLength(first, text, common)
      shortest = Math.min(shortest, text.length)
      longest = Math.max(longest, text.length)
      yield
      if (common === 0 && longest > 0) return false
    }
    if (longest === 0) return true
    for (const { place } of tied) place.at += common
    if (common < shortest) return false
  }
}

/** Length of what two texts have in common at their beginnings, `most` at most. */
function commonLength(left: string, right: string, most: number): number {
  let least = 0
  let length = Math.min(most, left.length, right.length)
  while (least < length) {
    const middle = Math.ceil((least + length) / 2)
    if (left.slice(0, middle) === right.slice(0, middle)) least = middle
    else length = middle - 1
  }
  return length
}

/** Neighbors with the same text. */
function* groupsOf<T>(ordered: readonly Tied<T>[], first: number): Generator<Group<T>> {
  for (let start = 0; start < ordered.length; ) {
    let end = start + 1
    while (end < ordered.length && ordered[end]?.text === ordered[start]?.text) end++
    if (end - start > 1) yield { first: first + start, tied: ordered.slice(start, end) }
    start = end
  }
}

/** A copy that shares no memory with a longer text. */
function own(text: string): string {
  return JSON.parse(JSON.stringify(text))
}
