import type { Case } from '../interpreter.ts'
import {
  ask,
  boundSteps,
  type Child,
  keyOrderList,
  lexicographicList,
  named,
  ORDERS,
  pagingSteps,
  rangeSteps,
  sortedList,
  textOf,
  written,
} from './sorted-list.ts'

/** Sizes of lists: one that is sorted in memory, and one that is not. So many children of each class of values. */
const SIZES = [3, 60]
/** Digits of the numbers among the keys of a list, to the same end. */
const DIGITS = [1, 3]

function kindOf(value: unknown): string {
  return typeof value === 'boolean' ? String(value) : typeof value
}

/** A child of each kind of value, one equal to it, and one that may not be: their places. */
function picked(list: readonly Child[]): readonly number[] {
  return named(list)
    .map(({ value }, index) => (kindOf(value) === kindOf(list[index - 1]?.value) ? -1 : index))
    .filter((index) => index !== -1)
    .flatMap((index) => [index, index + 1, index + 2])
}

/** A list of one order: whole, bounded everywhere, in ranges, in pages. */
function sorted(orderBy: string, each: number): readonly Case[] {
  const list = sortedList(orderBy, each)
  const what = `by ${orderBy}, ${list.length} children`
  const data = { list: written(list) }
  return [
    {
      name: `3.2 the order ${what}`,
      data,
      steps: [
        { send: ask(`orderBy="${orderBy}"`), text: textOf(list) },
        { send: ask(`orderBy="${orderBy}"&limitToFirst=4`), text: textOf(list.slice(0, 4)) },
        { send: ask(`orderBy="${orderBy}"&limitToLast=4`), text: textOf(list.slice(-4)) },
        { send: ask(`orderBy="${orderBy}"&limitToLast=${list.length}`), text: textOf(list) },
        { send: ask(`orderBy="${orderBy}"&limitToFirst=99999999999999999999`), text: textOf(list) },
        { send: ask(`orderBy="${orderBy}"&count=true`), text: String(list.length) },
      ],
    },
    {
      name: `3.5 bounds ${what}`,
      data,
      steps: picked(list).flatMap((index) => boundSteps(orderBy, list, index, 'wilddog')),
    },
    {
      name: `3.5 ranges ${what}`,
      data,
      // Both ends among the numbers, then among the texts: ends of two kinds are refused.
      steps: (['number', 'string'] as const).flatMap((kind) => {
        const first = list.findIndex(({ value }) => typeof value === kind)
        const last = list.findLastIndex(({ value }) => typeof value === kind)
        return [...rangeSteps(orderBy, list, first, last), ...rangeSteps(orderBy, list, first + 1, last - 1)]
      }),
    },
    {
      name: `3.5 pages ${what}`,
      data: { list: written(named(list)) },
      steps: pagingSteps(orderBy, named(list), each === 3 ? 2 : 37),
    },
  ]
}

/** A list sorted by its keys, in one of the two orders of keys. */
function sortedByKey(list: readonly Child[]): Case {
  const { length } = list
  const ends = (_: Child, index: number): readonly number[] =>
    index < 6 || index >= length - 6 || index % 71 === 0 ? [index] : []
  return {
    name: `3.3 the order by $key, ${length} children`,
    data: { list: written(list) },
    steps: [
      { send: ask('orderBy="$key"'), text: textOf(list) },
      { send: ask('orderBy="$key"&limitToFirst=4'), text: textOf(list.slice(0, 4)) },
      { send: ask('orderBy="$key"&limitToLast=5'), text: textOf(list.slice(-5)) },
      ...list.flatMap(ends).flatMap((index) => boundSteps('$key', list, index, 'wilddog')),
      ...rangeSteps('$key', list, 1, length - 2),
      ...rangeSteps('$key', list, 3, 7),
      ...pagingSteps('$key', list, length < 50 ? 2 : 29),
    ],
  }
}

/** Sections 3.2 to 3.5 on lists that are made in their order, for clients of the Wilddog family. */
export const sortedQueries: readonly Case[] = [
  ...ORDERS.flatMap((orderBy) => SIZES.flatMap((each) => sorted(orderBy, each))),
  ...DIGITS.map((digits) => sortedByKey(lexicographicList(digits))),
]

/** What Firebase clients are answered otherwise: booleans bound a range, and keys come in key order. */
export const firebaseSortedQueries: readonly Case[] = [
  ...['h', '$value'].flatMap((orderBy) =>
    SIZES.map((each) => {
      const list = sortedList(orderBy, each)
      return {
        name: `3.5 bounds by ${orderBy}, ${list.length} children`,
        data: { list: written(list) },
        steps: picked(list).flatMap((index) => boundSteps(orderBy, list, index, 'firebase')),
      }
    }),
  ),
  ...DIGITS.map((digits) => sortedByKey(keyOrderList(digits))),
]
