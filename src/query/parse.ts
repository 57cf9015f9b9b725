import { DholeError } from '../error.ts'
import { jsonOf } from '../tree/json/parse-json.ts'
import { type BoundSpec, type Family, makeQuery, type Query, type QuerySpec } from './query.ts'

/** The decoded parameters of a URL that select children of a list. */
export type FilterTexts = { readonly [name in keyof QuerySpec]?: string | undefined }

const LIMIT = /^-?[0-9]+$/
/** A quote that a client has encoded twice. */
const ENCODED_QUOTE = '%22'

/**
 * Reads the filters of a URL.
 * @returns `undefined` when there are none
 * @throws `order-missing`, and as `makeQuery`
 * @see docs/reference/protocol.md#queries
 */
export function parseQuery(texts: FilterTexts, family: Family): Query | undefined {
  const { orderBy } = texts
  if (orderBy === undefined) {
    if (hasFilters(texts)) throw new DholeError('order-missing')
    return undefined
  }
  return makeQuery({ orderBy: parseOrderBy(orderBy), ...parseFilters(texts, parseBound) }, family)
}

/**
 * Reads the filters of `shallow`. They select keys in key order, and a bound needs no quotes.
 * @throws `shallow-with-order`, and as `makeQuery`
 */
export function parseShallowQuery(texts: FilterTexts): Query | undefined {
  if (texts.orderBy !== undefined) throw new DholeError('shallow-with-order')
  if (!hasFilters(texts)) return undefined
  return makeQuery({ orderBy: '$key', ...parseFilters(texts, parseKeyBound) }, 'firebase')
}

function hasFilters(texts: FilterTexts): boolean {
  return Object.values(texts).some((text) => text !== undefined)
}

function parseFilters(texts: FilterTexts, bound: (text: string) => BoundSpec): Omit<QuerySpec, 'orderBy'> {
  const { startAt, startAfter, endAt, endBefore, equalTo, limitToFirst, limitToLast } = texts
  return {
    startAt: startAt === undefined ? undefined : bound(startAt),
    startAfter: startAfter === undefined ? undefined : bound(startAfter),
    endAt: endAt === undefined ? undefined : bound(endAt),
    endBefore: endBefore === undefined ? undefined : bound(endBefore),
    equalTo: equalTo === undefined ? undefined : bound(equalTo),
    limitToFirst: limitToFirst === undefined ? undefined : parseLimit(limitToFirst),
    limitToLast: limitToLast === undefined ? undefined : parseLimit(limitToLast),
  }
}

function parseOrderBy(text: string): string {
  const json = jsonOf(text.startsWith(ENCODED_QUOTE) ? decode(text) : text)
  if (typeof json !== 'string') throw new DholeError('bad-order')
  return json
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** NaN for anything but decimal digits. `makeQuery` checks the number. */
function parseLimit(text: string): number {
  if (!LIMIT.test(text)) return Number.NaN
  const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number
  return Math.min(Math.max(Number(text), MIN_SAFE_INTEGER), MAX_SAFE_INTEGER)
}

/** A JSON primitive, or a primitive, a comma and a key as JSON string. `makeQuery` checks them. */
function parseBound(text: string): BoundSpec {
  const parts = jsonOf(`[${text}]`)
  if (!Array.isArray(parts) || parts.length === 0 || parts.length > 2) throw new DholeError('bad-bound')
  const [value] = parts
  if (typeof value === 'object' && value !== null) throw new DholeError('bad-bound')
  return parts.length === 1 ? value : (parts as [never, never])
}

function parseKeyBound(text: string): BoundSpec {
  const json = jsonOf(text)
  return typeof json === 'string' ? json : text
}
