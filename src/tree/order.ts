/**
 * The one order of keys and values, used by the tables, the printer and every index. Keys: 32-bit integers first by
 * value and then by length, all others by UTF-16 code unit. Values: nothing, false, true, numbers, strings by UTF-16
 * code unit, objects.
 * @see docs/reference/protocol.md#key-order
 */

import type { Steps } from '../scheduling/steps.ts'
import { mapInSteps, sortInSteps } from './json/sort-steps.ts'
import { leafOf, type Value } from './value.ts'

const INTEGER_KEY = /^-?0*[0-9]{1,10}$/
const ARRAY_KEY = /^(?:0|[1-9][0-9]*)$/
/** One more than the greatest array index of JavaScript. */
const MAX_ARRAY_INDEX = 2 ** 32 - 1
const INTEGER_MARK = '\u0001'
const OFFSET = 2 ** 31
const VALUE_DIGITS = 10
const LENGTH_DIGITS = 3

/** Characters that UTF-16 sorts after all astral ones and UTF-8 sorts before them, and the mark that corrects it. */
const ABOVE_SURROGATES = /[\uE000-\uFFFF]|\u{10FFFF}/gu
const LAST_CHARACTER = '\u{10FFFF}'

/** Whether the beginning allows a key to be an integer; most keys fail this cheap check. */
export function mayBeInteger(key: string): boolean {
  const first = key.charCodeAt(0)
  return isDigit(first) || (first === 45 && isDigit(key.charCodeAt(1)))
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function integerOf(key: string): number | undefined {
  if (!mayBeInteger(key)) return undefined
  if (!INTEGER_KEY.test(key)) return undefined
  const value = Number(key)
  return value >= -OFFSET && value < OFFSET ? value : undefined
}

/**
 * Encodes a key so that plain byte order of the UTF-8 text, and code-unit order of the string, are key order.
 * Reversible by `keyOf`. An integer becomes U+0001, ten digits of value + 2^31 and, unless it is written canonically,
 * three digits of its length (and `-` for a negative zero).
 */
export function sortKey(key: string): string {
  const integer = integerOf(key)
  if (integer === undefined) return sortText(key)
  const digits = INTEGER_MARK + String(integer + OFFSET).padStart(VALUE_DIGITS, '0')
  if (key === String(integer)) return digits
  const negativeZero = integer === 0 && key.startsWith('-') ? '-' : ''
  return digits + String(key.length).padStart(LENGTH_DIGITS, '0') + negativeZero
}

/** Code units whose order may differ between UTF-8 and UTF-16; most texts have none. */
const HIGH = /[\uD800-\uFFFF]/

/** Encodes any well-formed string so that UTF-8 byte order is UTF-16 code-unit order. */
export function sortText(text: string): string {
  if (!HIGH.test(text)) return text
  return text.replace(ABOVE_SURROGATES, (character) =>
    character === LAST_CHARACTER ? `${LAST_CHARACTER}\u0001` : LAST_CHARACTER + character,
  )
}

/** Above every integer and below every other key, in the encoding of `sortKey`. */
export const FIRST_TEXT_KEY = '\u0002'

/**
 * Encodes a key of a bound, which need not be a legal key: a control character at its beginning must not look like the
 * mark of an integer.
 */
export function sortKeyBound(key: string): string {
  return key < ' ' ? FIRST_TEXT_KEY : sortKey(key)
}

/** Whether an encoded key is an integer. */
export function isIntegerKey(sorted: string): boolean {
  return sorted.startsWith(INTEGER_MARK)
}

/** The key that `sortKey` encoded. */
export function keyOf(sorted: string): string {
  if (!sorted.startsWith(INTEGER_MARK)) {
    return sorted.includes(LAST_CHARACTER) ? sorted.replace(/\u{10FFFF}(.)/gu, decodeMarked) : sorted
  }
  const end = 1 + VALUE_DIGITS
  const integer = Number(sorted.slice(1, end)) - OFFSET
  if (sorted.length === end) return String(integer)
  const length = Number(sorted.slice(end, end + LENGTH_DIGITS))
  const sign = integer < 0 || sorted.endsWith('-') ? '-' : ''
  return sign + String(Math.abs(integer)).padStart(length - sign.length, '0')
}

function decodeMarked(_: string, character: string): string {
  return character === '\u0001' ? LAST_CHARACTER : character
}

/** Puts keys into key order. @returns the same list, or a new one */
export function sortKeys(keys: string[]): string[] {
  let isSorted = true
  let previous = ''
  for (const key of keys) {
    if (mayBeInteger(key)) return sortMixedKeys(keys)
    if (key < previous) isSorted = false
    previous = key
  }
  // Without integers key order is code-unit order, the order of the built-in sort.
  return isSorted ? keys : keys.sort()
}

/** Encodes each key once; encoding for each comparison takes many times as long. */
function sortMixedKeys(keys: string[]): string[] {
  const encoded = keys.map(sortKey)
  return isAscending(encoded) ? keys : encoded.sort().map(keyOf)
}

function isAscending(texts: readonly string[]): boolean {
  return texts.every((text, index) => index === 0 || text >= (texts[index - 1] as string))
}

/** Maximum keys that are sorted without a pause. */
const SHORT_KEYS = 1024

/** As `sortKeys`, with pauses. */
export function* sortKeysInSteps(keys: readonly string[]): Steps<readonly string[]> {
  if (keys.length <= SHORT_KEYS) return sortKeys([...keys])
  yield
  const mayHaveIntegers = keys.some(mayBeInteger)
  yield
  const encoded = mayHaveIntegers ? yield* mapInSteps(keys, sortKey) : keys
  if (yield* isAscendingInSteps(encoded)) return keys
  const sorted = yield* sortInSteps(encoded, compareText)
  return mayHaveIntegers ? yield* mapInSteps(sorted, keyOf) : sorted
}

function* isAscendingInSteps(texts: readonly string[]): Steps<boolean> {
  for (let index = 1; index < texts.length; index++) {
    if ((texts[index] as string) < (texts[index - 1] as string)) return false
    if (index % SHORT_KEYS === 0) yield
  }
  return true
}

/** Negative, zero or positive when `left` sorts before, equals or sorts after `right`, by UTF-16 code unit. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** The classes of values, in their order. */
export const SortKind = { none: 0, false: 1, true: 2, number: 3, string: 4, object: 5 } as const

/** Value that a child is sorted by. */
export interface SortValue {
  /** One of `SortKind`. */
  readonly kind: number
  /** The number or string; 0 for all other kinds. */
  readonly value: number | string
}

/** Sort value of a child without a value. */
export const NO_VALUE: SortValue = Object.freeze({ kind: SortKind.none, value: 0 })
const FALSE: SortValue = Object.freeze({ kind: SortKind.false, value: 0 })
const TRUE: SortValue = Object.freeze({ kind: SortKind.true, value: 0 })
export const OBJECT: SortValue = Object.freeze({ kind: SortKind.object, value: 0 })

/** Sort value of a value; a leaf with a priority sorts as the leaf. */
export function sortValue(value: Value | null | undefined): SortValue {
  if (value === undefined || value === null) return NO_VALUE
  if (typeof value === 'string') return { kind: SortKind.string, value }
  if (typeof value === 'number') return { kind: SortKind.number, value }
  if (typeof value === 'boolean') return value ? TRUE : FALSE
  const leaf = leafOf(value)
  return leaf === undefined ? OBJECT : sortValue(leaf)
}

/** Negative, zero or positive when `left` sorts before, equal to or after `right`. */
export function compareSortValues(left: SortValue, right: SortValue): number {
  if (left.kind !== right.kind) return left.kind - right.kind
  if (left.value === right.value) return 0
  return left.value < right.value ? -1 : 1
}

/**
 * Length of the array that children with these keys form; `undefined` when they form none. Every key must be an array
 * index, and more than half of the indexes up to the greatest must exist.
 * @param keys in key order
 * @see docs/reference/protocol.md#arrays
 */
export function arrayLength(keys: readonly string[]): number | undefined {
  const length = arrayLengthByEnds(keys)
  return length !== undefined && keys.every(isArrayKey) ? length : undefined
}

/** As `arrayLength`, with pauses. */
export function* arrayLengthInSteps(keys: readonly string[]): Steps<number | undefined> {
  const length = arrayLengthByEnds(keys)
  if (length === undefined) return undefined
  for (const [index, key] of keys.entries()) {
    if (!isArrayKey(key)) return undefined
    if (index % SHORT_KEYS === SHORT_KEYS - 1) yield
  }
  return length
}

/** The length if all keys between the first and the last one are array indices too. */
function arrayLengthByEnds(keys: readonly string[]): number | undefined {
  const last = keys[keys.length - 1]
  const first = keys[0]
  if (first === undefined || last === undefined || !mayBeInteger(last)) return undefined
  if (!ARRAY_KEY.test(last) || !ARRAY_KEY.test(first)) return undefined
  return arrayLengthOf(keys.length, last)
}

export function isArrayKey(key: string): boolean {
  return ARRAY_KEY.test(key)
}

/** Whether JavaScript lists a key before those that are names. */
export function isArrayIndex(key: string): boolean {
  return mayBeInteger(key) && ARRAY_KEY.test(key) && Number(key) < MAX_ARRAY_INDEX
}

/** As `arrayLength`, of keys that are all array indices. @param last the greatest of them */
export function arrayLengthOf(count: number, last: string): number | undefined {
  const length = Number(last) + 1
  return count * 2 <= length ? undefined : length
}
