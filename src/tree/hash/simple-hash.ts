import type { Steps } from '../../scheduling/steps.ts'
import { parseJsonInSteps } from '../json/parse-json.ts'
import { sortInSteps } from '../json/sort-steps.ts'
import { type AnyText, joined } from '../json/text-pieces.ts'
import { PRIORITY } from '../key.ts'
import { LARGE_BODY_BYTES } from '../limits.ts'
import { compareSortValues, compareText, sortKey, sortValue } from '../order.ts'
import { type Branch, childKeys, isBranch, type Leaf, leafOf, ownMember, type Value } from '../value.ts'
import { bitsOf, type NumberBits } from './number-bits.ts'

/** Children hashed between two pauses. */
const STEP_CHILDREN = 256

/**
 * The hash of a value that clients compute of what they have: base64 of SHA-1, `''` for no value. Children are ordered by
 * priority and then by key.
 * @see docs/reference/sdk-protocol.md#hashes
 */
function* simpleHashInSteps(value: Value | undefined, bits: NumberBits): Steps<string> {
  return value === undefined ? '' : yield* hashOf(value, bits, { children: 0 })
}

/** Maximum values of a text from the tree: it was stored within the bounds of a write. */
const UNBOUNDED = { mostValues: Number.POSITIVE_INFINITY, mostSiblings: Number.POSITIVE_INFINITY }

/**
 * Whether a client has computed a hash of this value.
 * @param text with priorities and without arrays; `undefined` for no value
 */
export function* textHasHash(text: AnyText | undefined, hash: string): Steps<boolean> {
  if (text === undefined || text === 'null') return hash === ''
  if (hash === '') return false
  const value = yield* parsed(joined(text))
  if (hash === (yield* simpleHashInSteps(value, 'exact'))) return true
  return hash === (yield* simpleHashInSteps(value, 'javascript'))
}

function* parsed(text: string): Steps<Value> {
  if (text.length <= LARGE_BODY_BYTES) return JSON.parse(text)
  return (yield* parseJsonInSteps(new TextEncoder().encode(text), UNBOUNDED)) as Value
}

interface Progress {
  children: number
}

function* hashOf(value: Value, bits: NumberBits, progress: Progress): Steps<string> {
  const leaf = leafOf(value)
  const priority = priorityOf(value)
  const head = priority === undefined ? '' : `priority:${scalarText(priority, bits)}:`
  if (leaf !== undefined) return digest(head + scalarText(leaf, bits))
  let text = head
  const hasher = new Bun.CryptoHasher('sha1')
  for (const key of yield* orderedKeys(value as Branch)) {
    if (++progress.children % STEP_CHILDREN === 0) yield
    const child = ownMember(value as Branch, key) as Value
    text += `:${key}:${yield* hashOf(child, bits, progress)}`
    if (text.length < STEP_LENGTH) continue
    hasher.update(text)
    text = ''
  }
  hasher.update(text)
  return hasher.digest('base64')
}

/** Length of the text that is hashed at once, in UTF-16 code units. */
const STEP_LENGTH = 16 * 1024

function digest(text: string): string {
  return new Bun.CryptoHasher('sha1').update(text).digest('base64')
}

function priorityOf(value: Value): Leaf | undefined {
  const priority = isBranch(value) ? ownMember(value, PRIORITY) : undefined
  return isBranch(priority) ? undefined : priority
}

function* orderedKeys(branch: Branch): Steps<readonly string[]> {
  const entries = childKeys(branch).map((key) => {
    const priority = priorityOf(ownMember(branch, key) as Value)
    return { key, sorted: sortKey(key), priority: sortValue(priority) }
  })
  const ordered = yield* sortInSteps(
    entries,
    (left, right) => compareSortValues(left.priority, right.priority) || compareText(left.sorted, right.sorted),
  )
  return ordered.map(({ key }) => key)
}

function scalarText(leaf: Leaf, bits: NumberBits): string {
  if (typeof leaf === 'string') return `string:${leaf}`
  if (typeof leaf === 'boolean') return `boolean:${leaf}`
  return `number:${bitsOf(leaf, bits)}`
}
