import { DholeError } from '../error.ts'
import { type BoundSpec, type Family, makeQuery, type Query, type QuerySpec } from './query.ts'

/** The parameters of a URL that choose children of a list, as they stand there, decoded. */
export type FilterTexts = { readonly [name in keyof QuerySpec]?: string | undefined }

const LIMIT = /^-?[0-9]+$/
/** What some clients send for a quote: the parameter was encoded twice. */
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
 * Reads the filters that may go with `shallow`: they are about keys, in key order, and a bound need not be quoted.
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
  const json = parseJson(text.startsWith(ENCODED_QUOTE) ? decode(text) : text)
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

/** Not a number for what is none in decimal digits. Whether it may stand there is checked later. */
function parseLimit(text: string): number {
  if (!LIMIT.test(text)) return Number.NaN
  const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number
  return Math.min(Math.max(Number(text), MIN_SAFE_INTEGER), MAX_SAFE_INTEGER)
}

/** A JSON primitive, or one, a comma and a key as JSON string. Whether they may stand there is checked later. */
function parseBound(text: string): BoundSpec {
  const parts = parseJson(`[${text}]`)
  if (!Array.isArray(parts) || parts.length === 0 || parts.length > 2) throw new DholeError('bad-bound')
  const [value] = parts
  if (typeof value === 'object' && value !== null) throw new DholeError('bad-bound')
  return parts.length === 1 ? value : (parts as [never, never])
}

function parseKeyBound(text: string): BoundSpec {
  const json = parseJson(text)
  return typeof json === 'string' ? json : text
}

/** `undefined` for what is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
