import { escaped } from '../data-sets.ts'
import type { Step } from '../interpreter.ts'

/**
 * Lists whose order is known because they are made in it: nothing here compares, so nothing here can share a mistake
 * with what it tests.
 */

/** What a bound can name. */
type Scalar = string | number | boolean | null

/** One child of a list. */
export interface Child {
  readonly key: string
  /** What it is sorted by; `undefined` for an object, which no bound can name. */
  readonly value: Scalar | undefined
  /** Place of its value among the different values of the list. */
  readonly rank: number
  /** The child as it is written. */
  readonly written: unknown
  /** The child as it reads; default as it is written. */
  readonly read?: unknown
}

/** Values and how many children have each, in ascending order. */
type Runs = readonly (readonly [value: Scalar | undefined, count: number])[]

/** Ascending, two children for each value. */
function pairs(each: number, value: (index: number) => Scalar): Runs {
  return Array.from({ length: Math.ceil(each / 2) }, (_, index) => [value(index), 2] as const)
}

const pad = (number: number): string => String(number).padStart(4, '0')

const numbers = (each: number): Runs => pairs(each, (index) => (index - Math.floor(each / 4)) * 1.5)
const strings = (each: number): Runs => pairs(each, (index) => `s${pad(index)}`)

/** How the children of a list are made, by what it is sorted by. */
const makers: Readonly<
  Record<
    string,
    { runs(each: number): Runs; child(value: Scalar | undefined, n: number): Pick<Child, 'written' | 'read'> }
  >
> = {
  h: {
    runs: (each) => [[null, each], [false, each], [true, each], ...numbers(each), ...strings(each), [undefined, each]],
    child: (h, n) => ({ written: h === null ? { n } : { h: h === undefined ? { z: n } : h, n } }),
  },
  'a/b': {
    runs: (each) => [[null, each], [false, each], [true, each], ...numbers(each), ...strings(each), [undefined, each]],
    child: (b, n) => ({ written: { a: b === null ? { n } : { b: b === undefined ? [n] : b } } }),
  },
  $value: {
    runs: (each) => [[false, each], [true, each], ...numbers(each), ...strings(each), [undefined, each]],
    child: (value, n) => ({ written: value === undefined ? { z: n } : value }),
  },
  $priority: {
    runs: (each) => [[null, each], ...numbers(each), ...strings(each)],
    child: (priority, n) => ({ written: { '.value': n, '.priority': priority }, read: n }),
  },
}

/** The orders that lists are made in, those of keys aside. */
export const ORDERS: readonly string[] = Object.keys(makers)

/**
 * A list in its order: so many children of each class of values. Children of equal value come in key order, integers
 * first; greater values have smaller keys, so that nothing is in its place by the keys alone.
 */
export function sortedList(orderBy: string, each: number): readonly Child[] {
  const maker = makers[orderBy]
  if (maker === undefined) throw new Error(`no list is made for ${orderBy}`)
  const runs = maker.runs(each)
  return runs.flatMap(([value, count], rank) =>
    Array.from({ length: count }, (_, index) => {
      const group = runs.length - rank
      const key = index < count / 2 ? String(group * 1000 + index) : `k${pad(group)}-${pad(index)}`
      return { key, value, rank, ...maker.child(value, rank * 1000 + index) }
    }),
  )
}

/** All numbers of so many digits at most that begin with 1, 2 or 3, as text in lexicographic order. */
function lexicographicNumbers(digits: number): readonly string[] {
  const below = (prefix: string): readonly string[] =>
    prefix.length === digits
      ? [prefix]
      : [prefix, ...Array.from({ length: 10 }, (_, digit) => below(`${prefix}${digit}`)).flat()]
  return ['1', '2', '3'].flatMap(below)
}

/** The same numbers in ascending order. */
function ascendingNumbers(digits: number): readonly string[] {
  return Array.from({ length: digits }, (_, length) =>
    Array.from({ length: 3 * 10 ** length }, (_unused, index) => String(10 ** length + index)),
  ).flat()
}

const byKey = (key: string, rank: number): Child => ({ key, value: key, rank, written: `at ${key}` })

/** A list in the lexicographic order of its keys. */
export function lexicographicList(digits: number): readonly Child[] {
  return ['!', '-1', ...lexicographicNumbers(digits), 'B', 'a', 'é', '😀', '\uE000'].map(byKey)
}

/** The same list in key order: integers first. */
export function keyOrderList(digits: number): readonly Child[] {
  return ['-1', ...ascendingNumbers(digits), '!', 'B', 'a', 'é', '😀', '\uE000'].map(byKey)
}

/** The list as it is written, its children out of order. */
export function written(list: readonly Child[]): Record<string, unknown> {
  const ends = list.toReversed()
  const shuffled = [...ends.filter((_, index) => index % 3 === 0), ...ends.filter((_, index) => index % 3 !== 0)]
  return Object.fromEntries(shuffled.map((child) => [child.key, child.written]))
}

/** Children as the text of an answer, in this order. */
export function textOf(children: readonly Child[]): string {
  const members = children.map(
    (child) => `${JSON.stringify(child.key)}:${JSON.stringify('read' in child ? child.read : child.written)}`,
  )
  return `{${members.join(',')}}`
}

/** A read of `/list`, its filters escaped as a URL wants it. */
export function ask(filters: string): string {
  return `GET /list.json?${escaped(filters)}`
}

/** A bound at a child, of its value alone or also of its key. */
function boundAt({ key, value }: Child, withKey: boolean): string {
  if (value === undefined) throw new Error('no bound names an object')
  return JSON.stringify(value) + (withKey ? `,${JSON.stringify(key)}` : '')
}

/** Which children a bound at one of them keeps, by value alone or by place. */
const bounds: Readonly<Record<string, (distance: number) => boolean>> = {
  startAt: (distance) => distance >= 0,
  startAfter: (distance) => distance > 0,
  endAt: (distance) => distance <= 0,
  endBefore: (distance) => distance < 0,
  equalTo: (distance) => distance === 0,
}

/** Every bound at one child of a list, alone, counted and with limits from both ends. */
export function boundSteps(
  orderBy: string,
  list: readonly Child[],
  index: number,
  family: 'wilddog' | 'firebase',
): readonly Step[] {
  const at = list[index]
  if (at === undefined) throw new Error(`no child ${index}`)
  // Refused to clients of the Wilddog family; the table of errors has that.
  const refused = typeof at.value === 'boolean' && family === 'wilddog' ? ['startAt', 'endAt'] : []
  const names = Object.entries(bounds).filter(([name]) => !refused.includes(name))
  return names.flatMap(([name, keeps]) =>
    (orderBy === '$key' ? [false] : [false, true]).flatMap((withKey) => {
      const kept = list.filter(({ rank }, place) => keeps(withKey ? place - index : rank - at.rank))
      const query = `orderBy="${orderBy}"&${name}=${boundAt(at, withKey)}`
      return [
        { send: ask(query), text: textOf(kept) },
        { send: ask(`${query}&limitToFirst=3`), text: textOf(kept.slice(0, 3)) },
        { send: ask(`${query}&limitToLast=3`), text: textOf(kept.slice(-3)) },
        { send: ask(`${query}&count=true`), text: String(kept.length) },
      ]
    }),
  )
}

/** Both ends of a range, open or closed, and limits from both ends. */
export function rangeSteps(orderBy: string, list: readonly Child[], from: number, to: number): readonly Step[] {
  const [first, last] = [list[from], list[to]]
  if (first === undefined || last === undefined) throw new Error(`no range ${from} to ${to}`)
  const withKey = orderBy !== '$key'
  const [start, end] = [boundAt(first, withKey), boundAt(last, withKey)]
  const ranges = [
    [`startAt=${start}&endAt=${end}`, list.slice(from, to + 1)],
    [`startAt=${start}&endBefore=${end}`, list.slice(from, to)],
    [`startAfter=${start}&endAt=${end}`, list.slice(from + 1, to + 1)],
    [`startAfter=${start}&endBefore=${end}`, list.slice(from + 1, to)],
    [`startAfter=${end}&endBefore=${start}`, []],
  ] as const
  return ranges.flatMap(([range, kept]) => [
    { send: ask(`orderBy="${orderBy}"&${range}`), text: textOf(kept) },
    { send: ask(`orderBy="${orderBy}"&${range}&limitToFirst=2`), text: textOf(kept.slice(0, 2)) },
    { send: ask(`orderBy="${orderBy}"&${range}&limitToLast=2`), text: textOf(kept.slice(-2)) },
    { send: ask(`orderBy="${orderBy}"&${range}&limitToLast=999999`), text: textOf(kept) },
  ])
}

/** The children that a bound can name: no page can begin behind an object. */
export function named(list: readonly Child[]): readonly Child[] {
  return list.filter(({ value }) => value !== undefined)
}

/** A list without objects read in pages from its first child to its last, and back again. */
export function pagingSteps(orderBy: string, list: readonly Child[], size: number): readonly Step[] {
  const page = (filters: string, children: readonly Child[]): Step => ({
    send: ask(`orderBy="${orderBy}"${filters}`),
    text: textOf(children),
  })
  const steps: Step[] = []
  for (let start = 0; start <= list.length; start += size) {
    const before = list[start - 1]
    const cursor = before === undefined ? '' : `&startAfter=${boundAt(before, orderBy !== '$key')}`
    steps.push(page(`${cursor}&limitToFirst=${size}`, list.slice(start, start + size)))
  }
  for (let end = list.length; end > 0; end -= size) {
    const behind = list[end]
    const cursor = behind === undefined ? '' : `&endBefore=${boundAt(behind, orderBy !== '$key')}`
    steps.push(page(`${cursor}&limitToLast=${size}`, list.slice(Math.max(0, end - size), end)))
  }
  return steps
}
