import type { Steps } from '../../scheduling/steps.ts'
import { isStringText, type JsonText, parseStored, withoutOwnPriority } from '../../tree/json/print.ts'
import { isBranch, setMember, VALUE, type Value } from '../../tree/value.ts'

/** A longer text of a string takes milliseconds to parse, in UTF-16 code units. */
const LONG = 128 * 1024
/** Text parsed in one step, in UTF-16 code units. */
const STEP = 128 * 1024
/** Text that is parsed where the beginning of a string is enough: longer than that of any entry of an index. */
const BEGINNING = 16 * 1024

const BACKSLASH = '\\'
const UNICODE_ESCAPE = 6

/** Whether a stored text is a string, without a priority, that takes long to parse. */
export function isLongString(text: JsonText): boolean {
  return text.length > LONG && isStringText(text)
}

/** The text of the string of a leaf, with or without a priority, that takes long to parse; `undefined` for all others. */
export function longStringOf(text: JsonText): JsonText | undefined {
  if (text.length <= LONG) return undefined
  const leaf = isStringText(text) ? text : withoutOwnPriority(text)
  return leaf !== undefined && isStringText(leaf) ? leaf : undefined
}

/** Parses the text of a string. */
export function* parseStringInSteps(text: JsonText): Steps<string> {
  const pieces: string[] = []
  const end = text.length - 1
  for (let from = 1; from < end; ) {
    const to = from + STEP < end ? beforeEscape(text, from + STEP) : end
    pieces.push(JSON.parse(`"${text.slice(from, to)}"`))
    from = to
    yield
  }
  return pieces.join('')
}

/** Parses the text of a leaf whose string takes long to parse. @returns `undefined` for every other text */
export function* parseLongLeaf(text: JsonText): Steps<Value | undefined> {
  const string = longStringOf(text)
  if (string === undefined) return undefined
  const value = yield* parseStringInSteps(string)
  if (string === text) return value
  const leaf = parseStored(`${text.slice(0, -string.length - 1)}0}`)
  if (isBranch(leaf)) setMember(leaf, VALUE, value)
  return leaf
}

/** As `parseStored`, but a long string is cut. The index of a list holds no more of it. */
export function parseBeginning(text: JsonText): Value {
  if (!isLongString(text)) return parseStored(text)
  return JSON.parse(`${text.slice(0, beforeEscape(text, BEGINNING))}"`)
}

/** The last place up to `at` in the text of a string that is not inside an escape sequence. */
function beforeEscape(text: JsonText, at: number): number {
  for (let start = at - 1; start > at - UNICODE_ESCAPE; start--) {
    if (text[start] !== BACKSLASH || !beginsEscape(text, start)) continue
    const isWhole = start + (text[start + 1] === 'u' ? UNICODE_ESCAPE : 2) <= at
    return isWhole ? at : start
  }
  return at
}

/** Whether a backslash begins an escape sequence: an even number of others is before it. */
function beginsEscape(text: JsonText, at: number): boolean {
  let before = at
  while (text[before - 1] === BACKSLASH) before--
  return (at - before) % 2 === 0
}
