import { sortInSteps } from '../../../tree/json/sort-steps.ts'
import { compareText } from '../../../tree/order.ts'
import type { ChildStrings, StringPlace } from './child-strings.ts'

/** The strings of children, which are read in parts. */
export type StringParts = Pick<ChildStrings, 'read' | 'restOfChunk'>

/** Text of all children that is held to divide them, in UTF-16 code units, and greatest and least text of one. */
const HELD = 4 * 1024 * 1024
const WIDEST = 64 * 1024
const LEAST = 16
/** Items looked at between two pauses. */
const STEP_ITEMS = 1024

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
  /** Whether what followed has hardly divided it. */
  readonly isStubborn: boolean
}

/**
 * Sorts children whose strings have the same beginning. It holds a bounded part of the strings: what all of a group have
 * in common is passed over, and what follows divides the group. A group that is hardly divided so, because its strings
 * leave it one by one, is divided by one of its strings: each string is read about as often as halves make a whole.
 * @param items in the order of their keys
 * @param from length of the beginning, in UTF-16 code units
 */
export function* sortTied<T extends { readonly key: string }>(
  strings: StringParts,
  items: readonly T[],
  from: number,
): Generator<void, T[]> {
  const sorted = [...items]
  const groups: Group<T>[] = [
    { first: 0, tied: items.map((item) => ({ item, place: { chunk: 0, at: from }, text: '' })), isStubborn: false },
  ]
  for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
    if (group.isStubborn) {
      const { less, equal, greater } = yield* divide(strings, group.tied)
      let place = group.first
      for (const part of [less, equal, greater]) {
        if (part !== equal && part.length > 1) groups.push({ first: place, tied: part, isStubborn: false })
        for (const { item } of part) sorted[place++] = item
      }
      continue
    }
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
    for (const { first, tied } of groupsOf(ordered, group.first)) {
      groups.push({ first, tied, isStubborn: tied.length > group.tied.length / 2 })
    }
    for (const tied of ordered) {
      tied.place.at += tied.text.length
      tied.text = ''
    }
  }
  return sorted
}

/** Moves all places behind the text that follows all of them. @returns whether all strings are equal */
function* passCommon<T extends { readonly key: string }>(
  strings: StringParts,
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

/** Children whose strings are less than, equal to and greater than that of one of them, each in their former order. */
interface Divided<T> {
  readonly less: Tied<T>[]
  readonly equal: Tied<T>[]
  readonly greater: Tied<T>[]
}

/** Divides a group by the string of one child, chosen at random, so that no choice of strings divides badly. */
function* divide<T extends { readonly key: string }>(
  strings: StringParts,
  tied: readonly Tied<T>[],
): Generator<void, Divided<T>> {
  const pivot = tied[Math.trunc(Math.random() * tied.length)] as Tied<T>
  const pivotPlace = { ...pivot.place }
  const sides = new Int8Array(tied.length)
  let open: { readonly index: number; readonly each: Tied<T>; readonly place: StringPlace }[] = []
  for (const [index, each] of tied.entries()) {
    if (each !== pivot) open.push({ index, each, place: { ...each.place } })
    if (index % STEP_ITEMS === STEP_ITEMS - 1) yield
  }
  for (let isOver = false; !isOver && open.length > 0; ) {
    const text = strings.restOfChunk(pivot.item.key, pivotPlace)
    isOver = text === ''
    const agreeing: typeof open = []
    for (const compared of open) {
      const { index, each, place } = compared
      sides[index] = compareText(strings.read(each.item.key, place, text.length || 1), text)
      place.at += text.length
      if (sides[index] === 0) agreeing.push(compared)
      yield
    }
    open = agreeing
    pivotPlace.at += text.length
  }
  const divided: Divided<T> = { less: [], equal: [], greater: [] }
  for (const [index, each] of tied.entries()) {
    const side = sides[index] ?? 0
    divided[side < 0 ? 'less' : side > 0 ? 'greater' : 'equal'].push(each)
    if (index % STEP_ITEMS === STEP_ITEMS - 1) yield
  }
  return divided
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
function* groupsOf<T>(ordered: readonly Tied<T>[], first: number): Generator<Omit<Group<T>, 'isStubborn'>> {
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
