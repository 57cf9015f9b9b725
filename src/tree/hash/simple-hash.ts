import type { Steps } from '../../scheduling/steps.ts'
import { parseJsonInSteps } from '../json/parse-json.ts'
import { etagOfInSteps } from '../json/print-steps.ts'
import { sortInSteps } from '../json/sort-steps.ts'
import { type AnyText, joined } from '../json/text-pieces.ts'
import { PRIORITY } from '../key.ts'
import { LARGE_BODY_BYTES } from '../limits.ts'
import { compareSortValues, compareText, sortKey, sortValue } from '../order.ts'
import { type Branch, childKeys, isBranch, type Leaf, leafOf, ownMember, type Value } from '../value.ts'
import { type Hashes, KnownHashes } from './known-hashes.ts'
import { bitsOf, isAmbiguous, type NumberBits } from './number-bits.ts'

/** Children hashed between two pauses. */
const STEP_CHILDREN = 256

/** Length of a string that is hashed between two pauses, in UTF-16 code units. */
const STEP_STRING = 64 * 1024

/** Maximum values of a text from the tree: it was stored within the bounds of a write. */
const UNBOUNDED = { mostValues: Number.POSITIVE_INFINITY, mostSiblings: Number.POSITIVE_INFINITY }

/** The hashes of texts that were hashed last: contended nodes, and what thousands of clients listen to. */
const known = new KnownHashes()

/**
 * Whether a client has computed a hash of this value: base64 of SHA-1, `''` of no value. Children are ordered by priority
 * and then by key. A text that was hashed before is not hashed again.
 * @param text with priorities and without arrays; `undefined` for no value
 * @see docs/reference/sdk-protocol.md#hashes
 */
export function* textHasHash(text: AnyText | undefined, hash: string): Steps<boolean> {
  if (text === undefined || text === 'null') return hash === ''
  if (hash === '') return false
  const hashes = yield* hashesOf(text)
  return hashes.exact === hash || hashes.javascript === hash
}

/** Whether `textHasHash` takes long for a text. */
export function* isLongToHash(text: AnyText): Steps<boolean> {
  return text.length > LARGE_BODY_BYTES && known.get(yield* nameOf(text)) === undefined
}

function* hashesOf(text: AnyText): Steps<Hashes> {
  const name = yield* nameOf(text)
  const found = known.get(name)
  if (found !== undefined) return found
  const value = yield* parsed(joined(text))
  const progress = { children: 0, isAmbiguous: false }
  const exact = yield* hashOf(value, 'exact', progress)
  const javascript = progress.isAmbiguous ? yield* hashOf(value, 'javascript', progress) : exact
  const hashes = { exact, javascript }
  known.set(name, hashes)
  return hashes
}

/** What a text is known by: itself, or its tag where it is long. */
function* nameOf(text: AnyText): Steps<string> {
  return typeof text === 'string' && text.length <= LARGE_BODY_BYTES ? text : yield* etagOfInSteps(text)
}

function* parsed(text: string): Steps<Value> {
  if (text.length <= LARGE_BODY_BYTES) return JSON.parse(text)
  return (yield* parseJsonInSteps(new TextEncoder().encode(text), UNBOUNDED)) as Value
}

interface Progress {
  children: number
  /** Whether clients compute other bits of one of the numbers. */
  isAmbiguous: boolean
}

function* hashOf(value: Value, bits: NumberBits, progress: Progress): Steps<string> {
  const leaf = leafOf(value)
  const priority = priorityOf(value)
  const head = priority === undefined ? '' : `priority:${scalarText(priority, bits, progress)}:`
  if (typeof leaf === 'string' && leaf.length > STEP_STRING) return yield* longDigest(`${head}string:`, leaf)
  if (leaf !== undefined) return digest(head + scalarText(leaf, bits, progress))
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

function* longDigest(head: string, text: string): Steps<string> {
  const hasher = new Bun.CryptoHasher('sha1').update(head)
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + STEP_STRING, text.length)
    const last = text.charCodeAt(end - 1)
    // Not between the halves of a character.
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end--
    hasher.update(text.slice(start, end))
    start = end
    yield
  }
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

function scalarText(leaf: Leaf, bits: NumberBits, progress: Progress): string {
  if (typeof leaf === 'string') return `string:${leaf}`
  if (typeof leaf === 'boolean') return `boolean:${leaf}`
  progress.isAmbiguous ||= isAmbiguous(leaf)
  return `number:${bitsOf(leaf, bits)}`
}
