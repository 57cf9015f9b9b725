import type { BoundSpec, Family, QuerySpec } from '../../../src/query/query.ts'
import { expectedKeyOrder } from '../../support/key-order.ts'
import { exportText, leafText, type Place, plainText } from './model.ts'

/**
 * Ordered queries as the protocol tells of them, in the plainest way: all children in an array, sorted by two
 * comparisons, filtered by each bound in turn, cut at one end.
 */

export const MIN_NAME = '[MIN_NAME]'
export const MAX_NAME = '[MAX_NAME]'

/** A question to a list. */
export interface Asked {
  readonly spec: QuerySpec
  readonly family: Family
}

export interface Answer {
  readonly plain: string
  readonly export: string
}

/** What children are compared by: nothing, a leaf, or any object. */
type Ranked = { readonly rank: number; readonly leaf: string | number }

interface Child {
  readonly key: string
  readonly place: Place
  readonly value: Ranked
}

/** What a query answers; `undefined` for no node, and for a leaf that is asked for with a bound or limit. */
export function answer(list: Place | undefined, { spec, family }: Asked): Answer | undefined {
  if (list === undefined) return undefined
  if (list.leaf !== undefined) {
    return isFiltered(spec) ? undefined : { plain: leafText(list.leaf), export: leafText(list.leaf) }
  }
  const chosen = limited(inRange(list, { spec, family }), spec)
  return { plain: plainAnswer(chosen), export: members(chosen, exportText) }
}

/** Whether a query has a limit, or a bound other than the one that every key satisfies. */
function isFiltered({ orderBy, ...filters }: QuerySpec): boolean {
  const { startAt, startAfter, endAt, endBefore } = filters
  const fits = orderBy === '$key' && startAt !== MAX_NAME && startAfter !== MAX_NAME
  const isOpen = fits && endAt !== MIN_NAME && endBefore !== MIN_NAME
  const isBound = (filter: unknown) => filter !== undefined && !(isOpen && (filter === MIN_NAME || filter === MAX_NAME))
  return filters.equalTo !== undefined || Object.values(filters).some(isBound)
}

/** Number of children within the bounds. */
export function countOf(list: Place | undefined, asked: Asked): number {
  return list === undefined || list.leaf !== undefined ? 0 : inRange(list, asked).length
}

/** Keys of the chosen children as the members of an object; a leaf itself. */
export function shallowOf(list: Place | undefined, asked: Asked): string | undefined {
  if (list === undefined) return undefined
  if (list.leaf !== undefined) return leafText(list.leaf)
  return members(limited(inRange(list, asked), asked.spec), () => 'true')
}

function inRange(list: Place, asked: Asked): Child[] {
  const { spec } = asked
  const order = (child: Child, bound: BoundSpec) => againstBound(child, bound, asked)
  return [...list.children]
    .map(([key, place]): Child => ({ key, place, value: sortedBy(place, spec.orderBy) }))
    .sort((left, right) => compare(left, right, asked))
    .filter((child) => spec.startAt === undefined || order(child, spec.startAt) >= 0)
    .filter((child) => spec.startAfter === undefined || order(child, spec.startAfter) > 0)
    .filter((child) => spec.endAt === undefined || order(child, spec.endAt) <= 0)
    .filter((child) => spec.endBefore === undefined || order(child, spec.endBefore) < 0)
    .filter((child) => spec.equalTo === undefined || order(child, spec.equalTo) === 0)
}

function limited(children: Child[], { limitToFirst, limitToLast }: QuerySpec): Child[] {
  if (limitToFirst !== undefined) return children.slice(0, limitToFirst)
  if (limitToLast !== undefined) return children.slice(Math.max(0, children.length - limitToLast))
  return children
}

function compare(left: Child, right: Child, asked: Asked): number {
  if (asked.spec.orderBy === '$key') return compareKeys(left.key, right.key, asked)
  return compareValues(left.value, right.value) || expectedKeyOrder(left.key, right.key)
}

/** Where a child stands as seen from a bound. Without a key a bound is about the value alone. */
function againstBound({ key, value }: Child, bound: BoundSpec, asked: Asked): number {
  if (asked.spec.orderBy === '$key') return compareKeys(key, String(bound), asked)
  const [wanted, wantedKey] = Array.isArray(bound) ? (bound as readonly [unknown, string]) : [bound, undefined]
  const order = compareValues(value, ranked(wanted))
  if (order !== 0 || wantedKey === undefined) return order
  return againstExtreme(wantedKey) ?? expectedKeyOrder(key, wantedKey)
}

/** How any key compares with one that stands for a place below or above all keys. */
function againstExtreme(bound: string): 1 | -1 | undefined {
  if (bound === MIN_NAME) return 1
  return bound === MAX_NAME ? -1 : undefined
}

/** Wilddog sorts keys as text, Firebase integers first. */
function compareKeys(left: string, right: string, { family }: Asked): number {
  const extreme = againstExtreme(right)
  if (extreme !== undefined) return extreme
  return family === 'wilddog' ? byCodeUnit(left, right) : expectedKeyOrder(left, right)
}

function compareValues(left: Ranked, right: Ranked): number {
  if (left.rank !== right.rank) return left.rank - right.rank
  return byCodeUnit(left.leaf, right.leaf)
}

function byCodeUnit(left: string | number, right: string | number): number {
  if (left < right) return -1
  return left > right ? 1 : 0
}

function sortedBy(place: Place, orderBy: string): Ranked {
  if (orderBy === '$key') return ranked(null)
  if (orderBy === '$priority') return ranked(place.priority)
  let below: Place | undefined = place
  if (orderBy !== '$value') for (const key of orderBy.split('/')) below = below?.children.get(key)
  if (below === undefined) return ranked(null)
  return below.leaf === undefined ? { rank: 5, leaf: 0 } : ranked(below.leaf)
}

/** Nothing, false, true, numbers, texts, objects. */
function ranked(leaf: unknown): Ranked {
  if (typeof leaf === 'boolean') return { rank: leaf ? 2 : 1, leaf: 0 }
  if (typeof leaf === 'number') return { rank: 3, leaf }
  if (typeof leaf === 'string') return { rank: 4, leaf }
  return { rank: 0, leaf: 0 }
}

function members(children: readonly Child[], text: (place: Place) => string): string {
  return `{${children.map(({ key, place }) => `${JSON.stringify(key)}:${text(place)}`).join(',')}}`
}

/** An array only where nothing is missing and nothing stands elsewhere. */
function plainAnswer(children: readonly Child[]): string {
  const isArray = children.length > 0 && children.every(({ key }, index) => key === String(index))
  return isArray ? `[${children.map(({ place }) => plainText(place)).join(',')}]` : members(children, plainText)
}
