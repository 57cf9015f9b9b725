import { PRIORITY } from '../key.ts'
import { arrayLength, mayBeInteger } from '../order.ts'
import { type Branch, emptyBranch, isBranch, ownMember, VALUE, type Value } from '../value.ts'
import { largeKeys, memberKeys } from './member-keys.ts'
import { QUOTE } from './shape/json-shape.ts'

/**
 * A form of the JSON text of a node:
 * - `stored`: with priorities; array-like branches without a priority of their own are arrays. It depends on the
 *   content alone: equal nodes have equal text;
 * - `plain`: the answer of GET, without priorities; array-like branches are arrays;
 * - `export`: with priorities, no arrays.
 * @see docs/reference/protocol.md#reading
 */
export type JsonText = string
export type TextForm = 'stored' | 'plain' | 'export'

/** Prints a value in key order. */
export function print(value: Value, form: TextForm): JsonText {
  if (typeof value === 'string') return JSON.stringify(value)
  if (!isBranch(value)) return Object.is(value, -0) ? '0' : String(value)
  if (form === 'plain') return printPlain(value)
  // Native printing is several times faster.
  const ordered = inKeyOrder(value, form)
  if (ordered !== undefined) return JSON.stringify(ordered)
  const keys = memberKeys(value)
  const length = form === 'export' ? undefined : arrayLength(keys)
  return length === undefined ? printObject(value, keys, form) : printArray(value, keys, length, form)
}

/**
 * What JSON prints as the text of the branch: the branch with all members in key order, the branch itself if they are
 * already, or an array. `undefined` where a key may be an integer and the branch is no array: JavaScript objects order
 * such keys by themselves.
 */
function inKeyOrder(branch: Branch, form: 'stored' | 'export'): unknown {
  const keys = Object.keys(branch)
  let isSorted = true
  let previous = ''
  for (const key of keys) {
    if (mayBeInteger(key)) return form === 'stored' ? asArray(branch, keys) : undefined
    if (key < previous) isSorted = false
    previous = key
  }
  if (!isSorted) keys.sort()
  let ordered: Record<string, unknown> = isSorted ? branch : emptyBranch()
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string
    const member = branch[key] as Value
    const inOrder = isBranch(member) ? inKeyOrder(member, form) : member
    if (inOrder === undefined) return undefined
    if (ordered === branch) {
      if (inOrder === member) continue
      ordered = emptyBranch()
      for (const before of keys.slice(0, index)) ordered[before] = branch[before]
    }
    ordered[key] = inOrder
  }
  return ordered
}

/** The branch as an array for its stored text; `undefined` where it is none. @param keys its own, in their order */
function asArray(branch: Branch, keys: readonly string[]): unknown[] | undefined {
  const length = arrayLength(keys)
  if (length === undefined) return undefined
  const elements = new Array<unknown>(length).fill(null)
  for (const key of keys) {
    const member = branch[key] as Value
    const inOrder = isBranch(member) ? inKeyOrder(member, 'stored') : member
    if (inOrder === undefined) return undefined
    elements[Number(key)] = inOrder
  }
  return elements
}

function printPlain(branch: Branch): JsonText {
  const leaf = ownMember(branch, VALUE)
  if (leaf !== undefined) return print(leaf, 'plain')
  const keys = memberKeys(branch).filter((key) => key !== PRIORITY)
  const length = arrayLength(keys)
  return length === undefined ? printObject(branch, keys, 'plain') : printArray(branch, keys, length, 'plain')
}

/** Characters that JSON escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes control characters
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/

/** A key as JSON. Hardly any key needs escapes, and the check is cheaper than `JSON.stringify`. */
export function printKey(key: string): JsonText {
  return ESCAPED.test(key) ? JSON.stringify(key) : `"${key}"`
}

/** @param keys own keys of the branch */
function printObject(branch: Branch, keys: readonly string[], form: TextForm): JsonText {
  let text = ''
  for (const key of keys) {
    const member = branch[key]
    if (member === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${print(member, form)}`
  }
  return `{${text}}`
}

/** @param keys own keys of the branch, all array indexes */
function printArray(branch: Branch, keys: readonly string[], length: number, form: TextForm): JsonText {
  const elements = new Array<string>(length).fill('null')
  for (const key of keys) {
    const member = branch[key]
    if (member !== undefined) elements[Number(key)] = print(member, form)
  }
  return `[${elements.join(',')}]`
}

/**
 * Stored text of a value; `undefined` for a branch whose text is longer than `limit`. It prints little more than `limit`
 * characters to find out.
 */
export function printWithin(value: Value, limit: number): JsonText | undefined {
  if (!isBranch(value) || ownMember(value, VALUE) !== undefined) return print(value, 'stored')
  return roomLeft(value, limit) >= 0 ? shortText(value, limit) : undefined
}

/** Whether the text of a branch, or of parsed JSON, is certainly longer than `limit`. It prints nothing. */
export function exceeds(value: unknown, limit: number): value is Branch {
  return isBranch(value) && roomLeft(value, limit) < 0
}

function shortText(branch: Branch, limit: number): JsonText | undefined {
  const text = print(branch, 'stored')
  return text.length <= limit ? text : undefined
}

/** Shortest text of a member: an element of an array of one character, and a comma. */
const LEAST_MEMBER = 2

/**
 * The rest of `room` after the shortest possible text of a value. A negative rest means that the value does not fit, and
 * ends the count.
 */
function roomLeft(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length - 2
  if (!isBranch(value)) return room - 1
  // Two brackets, and one comma less than there are members.
  let left = room - 1
  const large = largeKeys(value)
  if (large !== undefined && left < large.length * LEAST_MEMBER) return -1
  // Iterates without a list of the keys, which may be long. Nothing that is parsed inherits a member.
  for (const key in value) {
    // In an array a key takes no room, so only the comma counts.
    left = roomLeft(value[key], left - 1)
    if (left < 0) return left
  }
  return left
}

/** Whether a text is that of a string, which has no children and takes long to parse when it is long. */
export function isStringText(text: JsonText): boolean {
  return text.charCodeAt(0) === QUOTE
}

/** Parses stored text: arrays become branches. */
export function parseStored(text: JsonText): Value {
  const json: unknown = JSON.parse(text)
  return (text.includes('[') ? withoutArrays(json) : json) as Value
}

function withoutArrays(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json
  if (Array.isArray(json)) {
    const branch = emptyBranch()
    for (const [index, element] of json.entries()) {
      if (element !== null) branch[String(index)] = withoutArrays(element) as Value
    }
    return branch
  }
  for (const [key, member] of Object.entries(json)) {
    // Only arrays are replaced: other members keep their values.
    const converted = withoutArrays(member)
    if (converted !== member) Object.defineProperty(json, key, { value: converted, writable: true, enumerable: true })
  }
  return json
}

/** Converts stored text to plain text. A text without priorities is unchanged. */
export function toPlain(text: JsonText): JsonText {
  if (!mentionsPriority(text)) return text
  return withoutOwnPriority(text) ?? print(parseStored(text), 'plain')
}

const OWN_PRIORITY = /^\{"\.priority":(?:"(?:[^"\\]|\\.)*"|[-+.0-9eE]+),(?:"\.value":)?/

/**
 * Removes the priority at the beginning of a node without other priorities. It is there unless the node has integer keys,
 * which may form an array without the priority.
 */
export function withoutOwnPriority(text: JsonText): JsonText | undefined {
  const start = OWN_PRIORITY.exec(text)?.[0]
  if (start === undefined || text.includes(`"${PRIORITY}"`, start.length)) return undefined
  return start.endsWith(`"${VALUE}":`) ? text.slice(start.length, -1) : `{${text.slice(start.length)}`
}

/**
 * Whether stored text contains a priority, or a string that looks like one. The search for the bare word is much faster,
 * and most texts do not contain it.
 */
export function mentionsPriority(text: JsonText): boolean {
  return !isStringText(text) && includesPriority(text)
}

/** As `mentionsPriority`, for a piece of a text that is not a string. */
export function includesPriority(piece: string): boolean {
  return piece.includes(PRIORITY) && piece.includes(`"${PRIORITY}"`)
}
