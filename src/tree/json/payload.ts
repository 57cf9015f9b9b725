import { DholeError } from '../../error.ts'
import type { Steps } from '../../scheduling/steps.ts'
import { keyBytes, PRIORITY, utf8Length } from '../key.ts'
import { LARGE_NODES, type Limits } from '../limits.ts'
import { checkDepth, checkLength, type Path, pathBytes } from '../path.ts'
import { parsePriority } from '../priority.ts'
import { parseServerValue, type ServerValue } from '../server-value.ts'
import { type Branch, emptyBranch, isBranch, ownMember, SERVER_VALUE, VALUE, type Value } from '../value.ts'
import { type CopiedMembers, copyInSteps, keysInSteps, largeKeys } from './member-keys.ts'
import { exceeds } from './print.ts'

/** A path in a payload with a server value. */
export interface ServerValueUse {
  readonly path: Path
  readonly serverValue: ServerValue
}

export interface ParsedPayload {
  /** The value to store; `undefined` deletes. Server values are 0 until they are filled in. */
  readonly value: Value | undefined
  /** Number of leaves and branches of the value. */
  readonly nodes: number
  /** Length of all its strings, in UTF-16 code units. */
  readonly textLength: number
  readonly serverValues: readonly ServerValueUse[]
}

/**
 * Converts parsed JSON into a value of the tree: checks every key, string, number and special member, drops nulls and
 * empty objects, converts arrays to objects. It returns unchanged parts of the input without copying them.
 * @param json what `JSON.parse` returned
 * @param path path of the payload: its depth and length count towards the limits
 * @throws DholeError of the body rows, `too-deep`, `key-too-long`, `leaf-too-big`
 * @see docs/reference/protocol.md#json-to-tree
 */
export function parsePayload(json: unknown, path: Path, limits: Limits): ParsedPayload {
  const parser = new PayloadParser(path, limits, Number.POSITIVE_INFINITY)
  return parser.parsed(parser.parse(json, pathBytes(path)))
}

/** As `parsePayload`; `undefined` for more than `LARGE_NODES` nodes, which are checked in steps. */
export function parseShortPayload(json: unknown, path: Path, limits: Limits): ParsedPayload | undefined {
  const parser = new PayloadParser(path, limits, LARGE_NODES)
  try {
    return parser.parsed(parser.parse(json, pathBytes(path)))
  } catch (thrown) {
    if (thrown === TOO_LONG) return undefined
    throw thrown
  }
}

/** As `parsePayload`, with pauses. */
export function* parsePayloadInSteps(json: unknown, path: Path, limits: Limits): Steps<ParsedPayload> {
  yield
  const parser = new PayloadParser(path, limits, Number.POSITIVE_INFINITY)
  return parser.parsed(yield* parser.parseInSteps(json, pathBytes(path)))
}

/** Thrown to end the check of a payload that is not short. */
const TOO_LONG = new Error('The payload is not short')
/** Length of a branch that is checked at once, in UTF-16 code units. */
const SHORT_LENGTH = 4096
/** Length of text checked between two pauses, in UTF-16 code units, and what a node counts for. */
const STEP_LENGTH = 128 * 1024
const NODE_LENGTH = 64

class PayloadParser {
  readonly serverValues: ServerValueUse[] = []
  readonly #path: string[]
  readonly #limits: Limits
  readonly #mostNodes: number
  #nodes = 0
  #textLength = 0
  /** As `#nodes`, including nulls and empty objects. */
  #looked = 0
  /** What was checked at the last pause. */
  #paused = 0

  /** @param mostNodes maximum nodes, nulls included; more throw `TOO_LONG` */
  constructor(path: Path, limits: Limits, mostNodes: number) {
    this.#path = [...path]
    this.#limits = limits
    this.#mostNodes = mostNodes
  }

  parsed(value: Value | undefined): ParsedPayload {
    return { value, nodes: this.#nodes, textLength: this.#textLength, serverValues: this.serverValues }
  }

  /** @param bytes length of the path so far */
  parse(json: unknown, bytes: number): Value | undefined {
    if (++this.#looked > this.#mostNodes) throw TOO_LONG
    if (json === null) return undefined
    this.#nodes++
    switch (typeof json) {
      case 'string':
        this.#checkString(json)
        return json
      case 'number':
        if (!Number.isFinite(json)) throw new DholeError('bad-data')
        return json
      case 'boolean':
        return json
      case 'object':
        return Array.isArray(json) ? this.#array(json, bytes) : this.#object(json, bytes)
      default:
        throw new DholeError('bad-data')
    }
  }

  /** As `parse`, with pauses. */
  *parseInSteps(json: unknown, bytes: number): Steps<Value | undefined> {
    if (!exceeds(json, SHORT_LENGTH)) return this.parse(json, bytes)
    if (Array.isArray(json)) return yield* this.#arrayInSteps(json, bytes)
    // A leaf is short.
    const isSpecial = Object.hasOwn(json, SERVER_VALUE) || Object.hasOwn(json, VALUE)
    return isSpecial ? this.#object(json, bytes) : yield* this.#objectInSteps(json, bytes)
  }

  #checkString(text: string): void {
    this.#textLength += text.length
    if (!text.isWellFormed()) throw new DholeError('bad-data')
    const limit = this.#limits.maxLeafBytes
    if (text.length * 3 > limit && utf8Length(text) > limit) throw new DholeError('leaf-too-big')
  }

  #array(elements: readonly unknown[], bytes: number): Branch | undefined {
    let branch: Branch | undefined
    for (let index = 0; index < elements.length; index++) {
      const element = elements[index]
      const value = this.#element(index, element, bytes)
      if (value === undefined) continue
      branch ??= emptyBranch()
      branch[index] = value
    }
    return branch
  }

  *#arrayInSteps(elements: readonly unknown[], bytes: number): Steps<Branch | undefined> {
    this.#nodes++
    let branch: Branch | undefined
    for (let index = 0; index < elements.length; index++) {
      const element = elements[index]
      const value = exceeds(element, SHORT_LENGTH)
        ? yield* this.#childInSteps(String(index), element, bytes)
        : this.#element(index, element, bytes)
      if (value !== undefined) {
        branch ??= emptyBranch()
        branch[index] = value
      }
      if (this.#isPauseDue()) yield
    }
    return branch
  }

  /** The key of a leaf in an array is legal. An array may have millions of them. */
  #element(index: number, json: unknown, bytes: number): Value | undefined {
    if (isBranch(json)) return this.#child(String(index), json, bytes)
    const length = bytes + digitsOf(index) + 1
    checkDepth(this.#path.length + 1)
    checkLength(length)
    return this.parse(json, length)
  }

  #object(object: object, bytes: number): Value | undefined {
    if (Object.hasOwn(object, SERVER_VALUE)) return this.#serverValue(object)
    if (Object.hasOwn(object, VALUE)) return this.#wrappedLeaf(object, bytes)
    // Reads keys and members: `Object.entries` would allocate an array for every member.
    const members = object as Readonly<Record<string, unknown>>
    if ((largeKeys(object)?.length ?? 0) > this.#mostNodes) throw TOO_LONG
    const keys = Object.keys(members)
    let copy: Branch | undefined
    let children = 0
    for (let position = 0; position < keys.length; position++) {
      const key = keys[position] as string
      const json = members[key]
      const value = key === PRIORITY ? this.#priority(json) : this.#child(key, json, bytes)
      if (value !== undefined && key !== PRIORITY) children++
      if (value === json) {
        if (copy) copy[key] = value as Value
        continue
      }
      copy ??= copyMembers(members, keys.slice(0, position))
      if (value !== undefined) copy[key] = value
    }
    if (children === 0) return undefined
    return copy ?? (object as Branch)
  }

  *#objectInSteps(object: object, bytes: number): Steps<Value | undefined> {
    this.#nodes++
    const members = object as Readonly<Record<string, unknown>>
    const keys = yield* keysInSteps(members)
    let copy: CopiedMembers | undefined
    let children = 0
    for (let position = 0; position < keys.length; position++) {
      const key = keys[position] as string
      const json = members[key]
      const value =
        key === PRIORITY
          ? this.#priority(json)
          : exceeds(json, SHORT_LENGTH)
            ? yield* this.#childInSteps(key, json, bytes)
            : this.#child(key, json, bytes)
      if (value !== json) copy ??= yield* copyInSteps(members, keys, position)
      if (value !== undefined) {
        copy?.set(key, value)
        if (key !== PRIORITY) children++
      }
      if (this.#isPauseDue()) yield
    }
    if (children === 0) return undefined
    return copy?.end() ?? (object as Branch)
  }

  #isPauseDue(): boolean {
    const checked = this.#looked * NODE_LENGTH + this.#textLength
    if (checked - this.#paused < STEP_LENGTH) return false
    this.#paused = checked
    return true
  }

  #child(key: string, json: unknown, bytes: number): Value | undefined {
    const length = this.#enter(key, bytes)
    const value = this.parse(json, length)
    this.#path.pop()
    return value
  }

  *#childInSteps(key: string, json: unknown, bytes: number): Steps<Value | undefined> {
    const length = this.#enter(key, bytes)
    const value = yield* this.parseInSteps(json, length)
    this.#path.pop()
    return value
  }

  /** @returns length of the path with the key */
  #enter(key: string, bytes: number): number {
    this.#path.push(key)
    const length = bytes + keyBytes(key) + 1
    checkDepth(this.#path.length)
    checkLength(length)
    return length
  }

  #priority(json: unknown): Value | undefined {
    if (isBranch(json) && Object.hasOwn(json, SERVER_VALUE)) return this.#serverValue(json, PRIORITY)
    const priority = parsePriority(json)
    if (typeof priority === 'string') this.#checkString(priority)
    return priority
  }

  #wrappedLeaf(object: object, bytes: number): Value | undefined {
    let leaf: Value | undefined
    let priority: Value | undefined
    for (const key of Object.keys(object)) {
      const json = ownMember(object as Branch, key)
      if (key === PRIORITY) priority = this.#priority(json)
      else if (key === VALUE && !isPlainBranch(json)) leaf = this.parse(json, bytes)
      else throw new DholeError('bad-data')
    }
    if (leaf === undefined || priority === undefined) return leaf
    const branch = emptyBranch()
    branch[PRIORITY] = priority
    branch[VALUE] = leaf
    return branch
  }

  #serverValue(object: object, ...last: string[]): Value {
    this.serverValues.push({ path: [...this.#path, ...last], serverValue: parseServerValue(object) })
    return 0
  }
}

/** Number of decimal digits of an array index. */
function digitsOf(index: number): number {
  let digits = 1
  for (let rest = index; rest >= 10; rest /= 10) digits++
  return digits
}

function isPlainBranch(json: unknown): boolean {
  return isBranch(json) && !Object.hasOwn(json, SERVER_VALUE)
}

function copyMembers(members: Readonly<Record<string, unknown>>, keys: readonly string[]): Branch {
  const copy = emptyBranch()
  for (const key of keys) copy[key] = members[key] as Value
  return copy
}
