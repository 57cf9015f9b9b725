import type { Steps } from '../../scheduling/steps.ts'
import { sortInSteps } from '../json/sort-steps.ts'
import { PRIORITY } from '../key.ts'
import { compareSortValues, compareText, sortKey, sortValue } from '../order.ts'
import { type Leaf, VALUE } from '../value.ts'
import { bitsOf, isAmbiguous, type NumberBits } from './number-bits.ts'

/** Children hashed between two pauses. */
const STEP_CHILDREN = 256
/** Length of a string that is hashed between two pauses, in UTF-16 code units. */
const STEP_STRING = 64 * 1024
/** Length of the text of children that is hashed at once, in UTF-16 code units. */
const STEP_LENGTH = 16 * 1024

/** A node of the text. */
interface HashedNode {
  readonly hash: string
  readonly priority: Leaf | undefined
}

interface HashedChild extends HashedNode {
  readonly key: string
}

/**
 * Hashes a value by reading its text once: of a wide node, to list the keys of a parsed object takes long.
 * @see docs/reference/sdk-protocol.md#hashes
 */
export class TextHasher {
  readonly #text: string
  readonly #bits: NumberBits
  #at = 0
  #children = 0
  #isAmbiguous = false

  /** @param text well-formed JSON without white space between its tokens, of a value that is not `null` */
  constructor(text: string, bits: NumberBits) {
    this.#text = text
    this.#bits = bits
  }

  /** Whether clients compute other bits of one of the numbers that were read. */
  get isAmbiguous(): boolean {
    return this.#isAmbiguous
  }

  /** The hash of the whole text. */
  *hash(): Steps<string> {
    this.#at = 0
    return (yield* this.#node()).hash
  }

  *#node(): Steps<HashedNode> {
    const first = this.#text[this.#at]
    if (first === '{') return yield* this.#object()
    if (first === '[') return { hash: yield* this.#digestOf('', yield* this.#elements()), priority: undefined }
    return { hash: yield* this.#leafHash('', this.#leaf()), priority: undefined }
  }

  *#object(): Steps<HashedNode> {
    const children: HashedChild[] = []
    let priority: Leaf | undefined
    let leaf: Leaf | undefined
    do {
      this.#at++
      const key = this.#string()
      this.#at++
      if (key === PRIORITY) priority = this.#leaf()
      else if (key === VALUE) leaf = this.#leaf()
      else children.push(yield* this.#child(key))
    } while (this.#text[this.#at] === ',')
    this.#at++
    const head = priority === undefined ? '' : `priority:${this.#scalarText(priority)}:`
    const hash = leaf === undefined ? yield* this.#digestOf(head, children) : yield* this.#leafHash(head, leaf)
    return { hash, priority }
  }

  *#elements(): Steps<HashedChild[]> {
    const children: HashedChild[] = []
    let index = 0
    do {
      this.#at++
      const key = String(index++)
      if (this.#text.startsWith('null', this.#at)) this.#at += 4
      else children.push(yield* this.#child(key))
    } while (this.#text[this.#at] === ',')
    this.#at++
    return children
  }

  *#child(key: string): Steps<HashedChild> {
    if (++this.#children % STEP_CHILDREN === 0) yield
    const first = this.#text[this.#at]
    if (first !== '{' && first !== '[') {
      const leaf = this.#leaf()
      const isLong = typeof leaf === 'string' && leaf.length > STEP_STRING
      const hash = isLong ? yield* this.#leafHash('', leaf) : digest(this.#scalarText(leaf))
      return { key, hash, priority: undefined }
    }
    const { hash, priority } = yield* this.#node()
    return { key, hash, priority }
  }

  *#digestOf(head: string, children: readonly HashedChild[]): Steps<string> {
    const hasher = new Bun.CryptoHasher('sha1')
    let text = head
    let hashed = 0
    for (const { key, hash } of yield* inOrder(children)) {
      text += `:${key}:${hash}`
      if (++hashed % STEP_CHILDREN === 0) yield
      if (text.length < STEP_LENGTH) continue
      hasher.update(text)
      text = ''
    }
    return hasher.update(text).digest('base64')
  }

  *#leafHash(head: string, leaf: Leaf): Steps<string> {
    if (typeof leaf !== 'string' || leaf.length <= STEP_STRING) return digest(head + this.#scalarText(leaf))
    const hasher = new Bun.CryptoHasher('sha1').update(`${head}string:`)
    for (let start = 0; start < leaf.length; ) {
      let end = Math.min(start + STEP_STRING, leaf.length)
      const last = leaf.charCodeAt(end - 1)
      // Not between the halves of a character.
      if (end < leaf.length && last >= 0xd800 && last <= 0xdbff) end--
      hasher.update(leaf.slice(start, end))
      start = end
      yield
    }
    return hasher.digest('base64')
  }

  #scalarText(leaf: Leaf): string {
    if (typeof leaf === 'string') return `string:${leaf}`
    if (typeof leaf === 'boolean') return `boolean:${leaf}`
    this.#isAmbiguous ||= isAmbiguous(leaf)
    return `number:${bitsOf(leaf, this.#bits)}`
  }

  #leaf(): Leaf {
    if (this.#text[this.#at] === '"') return this.#string()
    const start = this.#at
    while (!isEndOfToken(this.#text.charCodeAt(this.#at))) this.#at++
    return JSON.parse(this.#text.slice(start, this.#at)) as Leaf
  }

  #string(): string {
    const start = this.#at
    this.#at = behindString(this.#text, start + 1)
    const text = this.#text.slice(start, this.#at)
    return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1)
  }
}

/** By priority and then by key, as the text has them unless there are priorities or a query has sorted them. */
function* inOrder(children: readonly HashedChild[]): Steps<readonly HashedChild[]> {
  let previous = ''
  for (let index = 0; index < children.length; index++) {
    const { key, priority } = children[index] as HashedChild
    const sorted = sortKey(key)
    if (priority !== undefined || compareText(previous, sorted) > 0) return yield* sortInSteps(children, compare)
    previous = sorted
    if (index % STEP_CHILDREN === STEP_CHILDREN - 1) yield
  }
  return children
}

function compare(left: HashedChild, right: HashedChild): number {
  const order = compareSortValues(sortValue(left.priority), sortValue(right.priority))
  return order === 0 ? compareText(sortKey(left.key), sortKey(right.key)) : order
}

function digest(text: string): string {
  return new Bun.CryptoHasher('sha1').update(text).digest('base64')
}

/** Offset behind the closing quote of a string. @param start offset inside the string */
function behindString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote
    while (before > start && text[before - 1] === '\\') before--
    if ((quote - before) % 2 === 0) return quote + 1
  }
  throw new SyntaxError('a string does not end')
}

/** Whether a character, as a UTF-16 code unit, ends a number or a word; so does the end of the text. */
function isEndOfToken(code: number): boolean {
  return Number.isNaN(code) || code === 0x2c || code === 0x5d || code === 0x7d
}
