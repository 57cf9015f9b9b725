import { DholeError } from '../error.ts'
import { PRIORITY } from '../tree/key.ts'
import { type Path, sortPath } from '../tree/path.ts'

/** Keys that no child can have: Firebase's clients use them for a bound below and above every key. */
const MIN_NAME = '[MIN_NAME]'
const MAX_NAME = '[MAX_NAME]'

/** Value of a bound. */
export type Scalar = string | number | boolean | null

/**
 * Order of children. `lexicographic` compares keys as text; otherwise they are in key order, integers first. An empty
 * child path is the child's own value, `['.priority']` its priority.
 * @see docs/reference/protocol.md#order
 */
export type Order =
  | { readonly kind: 'key'; readonly lexicographic: boolean }
  | { readonly kind: 'child'; readonly path: Path }

/** One end of a range of children. */
export interface Bound {
  readonly value: Scalar
  /** Orders children of equal value. */
  readonly key: string | undefined
  readonly inclusive: boolean
}

interface LimitTo {
  readonly count: number
  readonly from: 'first' | 'last'
}

/** A checked, complete and immutable query of a list. */
export interface Query {
  readonly orderBy: Order
  readonly start: Bound | undefined
  readonly end: Bound | undefined
  readonly limit: LimitTo | undefined
}

/** A value to compare with, or a value and a key for children of equal value. */
export type BoundSpec = Scalar | readonly [value: Scalar, key: string]

/**
 * A query as a caller writes it.
 * @see docs/reference/protocol.md#queries
 */
export interface QuerySpec {
  /** A child path such as `height` or `name/first`, or `$key`, `$value`, `$priority`. */
  readonly orderBy: string
  /** Children with this value or a greater one. */
  readonly startAt?: BoundSpec | undefined
  /** Children with a greater value. */
  readonly startAfter?: BoundSpec | undefined
  /** Children with this value or a smaller one. */
  readonly endAt?: BoundSpec | undefined
  /** Children with a smaller value. */
  readonly endBefore?: BoundSpec | undefined
  /** Children with exactly this value. */
  readonly equalTo?: BoundSpec | undefined
  /** Maximum number of children, from the first. */
  readonly limitToFirst?: number | undefined
  /** Maximum number of children, from the last; in ascending order all the same. */
  readonly limitToLast?: number | undefined
}

/** Family of clients; the two expect different answers in some cases. @see docs/reference/protocol.md#ground-rules */
export type Family = 'wilddog' | 'firebase'

/** Child path of `$priority`. */
const PRIORITY_PATH: Path = Object.freeze([PRIORITY])
/** Child path of `$value`. */
const VALUE_PATH: Path = Object.freeze([])

/** Whether a query selects every child. */
export function isUnbounded({ start, end, limit }: Query): boolean {
  return start === undefined && end === undefined && limit === undefined
}

/** A text that is equal for equal queries only. */
export function queryName(query: Query): string {
  return JSON.stringify(query)
}

/** A query, or the specification of a query. */
export type QueryLike = Query | QuerySpec

/** The checked query. @throws as `makeQuery` */
export function toQuery(query: QueryLike, family: Family): Query {
  return isChecked(query) ? query : makeQuery(query, family)
}

function isChecked(query: QueryLike): query is Query {
  return typeof query.orderBy === 'object' && query.orderBy !== null
}

/**
 * Checks and completes a query.
 * @throws `bad-order`, `boolean-bound`, `bound-types-differ`, `both-limits`, `bad-limit`,
 * `key-bound`, `bad-bound`, `priority-boolean`, `bad-parameter`
 */
export function makeQuery(spec: QuerySpec, family: Family): Query {
  const orderBy = parseOrder(spec.orderBy, family)
  const limit = limitOf(spec)
  if (spec.startAt !== undefined && spec.startAfter !== undefined) throw tooManyBounds()
  if (spec.endAt !== undefined && spec.endBefore !== undefined) throw tooManyBounds()
  const start = boundOf(spec.startAt, true) ?? boundOf(spec.startAfter, false)
  const end = boundOf(spec.endAt, true) ?? boundOf(spec.endBefore, false)
  const equal = boundOf(spec.equalTo, true)
  if (equal !== undefined && (start !== undefined || end !== undefined)) throw tooManyBounds()
  for (const bound of [start, end, equal]) if (bound !== undefined) checkBound(bound, orderBy)
  if (family === 'wilddog') checkWilddogBounds(spec, orderBy)
  return Object.freeze({ orderBy, ...withoutExtremeKeys(orderBy, { start: equal ?? start, end: equal ?? end }), limit })
}

/** @throws `bad-order` */
function parseOrder(text: unknown, family: Family): Order {
  if (typeof text !== 'string') throw new DholeError('bad-order')
  if (text === '$key') return { kind: 'key', lexicographic: family === 'wilddog' }
  if (text === '$value') return { kind: 'child', path: VALUE_PATH }
  if (text === '$priority') return { kind: 'child', path: PRIORITY_PATH }
  return { kind: 'child', path: parseChildPath(text) }
}

/** The keys of a child path to sort by. @throws `bad-order` */
export function parseChildPath(text: string): Path {
  const path = sortPath(text)
  if (path === undefined) throw new DholeError('bad-order')
  return path
}

function limitOf({ limitToFirst, limitToLast }: QuerySpec): LimitTo | undefined {
  if (limitToFirst !== undefined && limitToLast !== undefined) throw new DholeError('both-limits')
  if (limitToFirst !== undefined) return { count: checkLimit('limitToFirst', limitToFirst), from: 'first' }
  if (limitToLast !== undefined) return { count: checkLimit('limitToLast', limitToLast), from: 'last' }
  return undefined
}

/** @throws `bad-limit` unless it is a whole number above zero */
function checkLimit(name: string, count: unknown): number {
  if (!Number.isSafeInteger(count)) throw new DholeError('bad-limit', `${name} must be an integer`)
  if (Number(count) < 1) throw new DholeError('bad-limit', `${name} must be positive`)
  return Number(count)
}

function boundOf(spec: BoundSpec | undefined, inclusive: boolean): Bound | undefined {
  if (spec === undefined) return undefined
  const [value, key] = Array.isArray(spec) ? (spec as readonly [Scalar, string]) : [spec as Scalar]
  if (Array.isArray(spec) && spec.length !== 2) throw new DholeError('bad-bound')
  return { value: Object.is(value, -0) ? 0 : value, key, inclusive }
}

function checkBound({ value, key }: Bound, orderBy: Order): void {
  if (!isScalar(value) || (key !== undefined && !isText(key))) throw new DholeError('bad-bound')
  if (orderBy.kind === 'key') {
    if (typeof value !== 'string' || key !== undefined) throw new DholeError('key-bound')
  } else if (orderBy.path === PRIORITY_PATH && typeof value === 'boolean') throw new DholeError('priority-boolean')
}

function isScalar(value: unknown): value is Scalar {
  if (typeof value === 'number') return Number.isFinite(value)
  return value === null || typeof value === 'boolean' || isText(value)
}

/** A lone surrogate cannot be part of a value and has no position in the order. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed()
}

/** Throws for bounds that the Wilddog service refuses and Firebase accepts. */
function checkWilddogBounds({ startAt, endAt }: QuerySpec, orderBy: Order): void {
  const start = boundValue(startAt)
  const end = boundValue(endAt)
  const boolean = typeof start === 'boolean' || typeof end === 'boolean'
  if (boolean && orderBy.kind === 'child' && orderBy.path !== PRIORITY_PATH) throw new DholeError('boolean-bound')
  if (start === undefined || end === undefined || start === null || end === null) return
  if (typeof start !== typeof end) throw new DholeError('bound-types-differ')
}

function boundValue(spec: BoundSpec | undefined): Scalar | undefined {
  return boundOf(spec, true)?.value
}

function tooManyBounds(): DholeError {
  return new DholeError(
    'bad-parameter',
    'equalTo cannot be specified in addition to startAfter, startAt, endAt, or endBefore',
  )
}

/** Both ends of a query; `undefined` is an open end. */
interface Ends {
  readonly start: Bound | undefined
  readonly end: Bound | undefined
}

/**
 * Replaces bounds at `[MIN_NAME]` and `[MAX_NAME]` by equal ones that need no such key.
 * @see docs/reference/protocol.md#bounds-and-limits
 */
function withoutExtremeKeys({ kind }: Order, { start, end }: Ends): Ends {
  if (kind === 'child') return { start: boundOfValue(start, MIN_NAME), end: boundOfValue(end, MAX_NAME) }
  const impossible = start?.value === MAX_NAME ? start : end?.value === MIN_NAME ? end : undefined
  if (impossible !== undefined) {
    // A range between a key and the same key, itself excluded, is empty.
    return { start: { ...impossible, inclusive: true }, end: { ...impossible, inclusive: false } }
  }
  return { start: start?.value === MIN_NAME ? undefined : start, end: end?.value === MAX_NAME ? undefined : end }
}

/** @param outer the key that leaves all children of the bound's value inside the range */
function boundOfValue(bound: Bound | undefined, outer: string): Bound | undefined {
  if (bound?.key !== MIN_NAME && bound?.key !== MAX_NAME) return bound
  return { value: bound.value, key: undefined, inclusive: bound.key === outer }
}
