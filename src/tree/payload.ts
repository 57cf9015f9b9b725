import { DholeError } from './error.ts'
import { checkKey, PRIORITY, utf8Length } from './key.ts'
import type { Limits } from './limits.ts'
import { checkDepth, checkLength, type Path, pathBytes } from './path.ts'
import { parsePriority } from './priority.ts'
import { parseServerValue, type ServerValue } from './server-value.ts'
import { type Branch, emptyBranch, isBranch, SERVER_VALUE, VALUE, type Value } from './value.ts'

/** A place in a payload that asks for a server value, and what it asks for. */
export interface ServerValueUse {
  readonly path: Path
  readonly serverValue: ServerValue
}

export interface ParsedPayload {
  /** What would be stored; `undefined` deletes. Places of server values hold 0 until they are filled in. */
  readonly value: Value | undefined
  readonly serverValues: readonly ServerValueUse[]
}

/**
 * Turns parsed JSON into a value of the tree: checks every key, string, number and special member, drops nulls and
 * what is empty, makes arrays objects. Clean parts of the input are returned as they are, not copied.
 * @param json what `JSON.parse` returned
 * @param path where the payload is going to stand: its depth and length count towards the limits
 * @throws DholeError of the body rows, `too-deep`, `key-too-long`, `leaf-too-big`
 * @see docs/protocol.md#json-to-tree
 */
export function parsePayload(json: unknown, path: Path, limits: Limits): ParsedPayload {
  const parser = new PayloadParser(path, limits)
  return { value: parser.parse(json, pathBytes(path)), serverValues: parser.serverValues }
}

/** Keys whose check is remembered, and the longest worth it: less than a megabyte. */
const KEPT_KEYS = 4096
const LONGEST_KEPT = 64
/** Lengths of legal keys: payloads say the same few over and over. */
const knownKeys = new Map<string, number>()

class PayloadParser {
  readonly serverValues: ServerValueUse[] = []
  readonly #path: string[]
  readonly #limits: Limits

  constructor(path: Path, limits: Limits) {
    this.#path = [...path]
    this.#limits = limits
  }

  /** @param bytes length of the path so far */
  parse(json: unknown, bytes: number): Value | undefined {
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
        if (json === null) return undefined
        return Array.isArray(json) ? this.#array(json, bytes) : this.#object(json, bytes)
      default:
        throw new DholeError('bad-data')
    }
  }

  #checkString(text: string): void {
    if (!text.isWellFormed()) throw new DholeError('bad-data')
    const limit = this.#limits.maxLeafBytes
    if (text.length * 3 > limit && utf8Length(text) > limit) throw new DholeError('leaf-too-big')
  }

  #array(elements: readonly unknown[], bytes: number): Branch | undefined {
    let branch: Branch | undefined
    for (const [index, element] of elements.entries()) {
      const value = this.#child(String(index), element, bytes)
      if (value === undefined) continue
      branch ??= emptyBranch()
      branch[String(index)] = value
    }
    return branch
  }

  #object(object: object, bytes: number): Value | undefined {
    if (Object.hasOwn(object, SERVER_VALUE)) return this.#serverValue(object)
    if (Object.hasOwn(object, VALUE)) return this.#wrappedLeaf(object, bytes)
    // Keys and look-ups rather than entries: an array less for every member of a large payload.
    const members = object as Readonly<Record<string, unknown>>
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

  #child(key: string, json: unknown, bytes: number): Value | undefined {
    this.#path.push(key)
    const length = bytes + keyBytes(key) + 1
    checkDepth(this.#path.length)
    checkLength(length)
    const value = this.parse(json, length)
    this.#path.pop()
    return value
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
    for (const [key, json] of Object.entries(object)) {
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

/** Length of a legal key. @throws as `checkKey` */
function keyBytes(key: string): number {
  const known = knownKeys.get(key)
  if (known !== undefined) return known
  checkKey(key, 'bad-key')
  const bytes = utf8Length(key)
  if (key.length > LONGEST_KEPT) return bytes
  if (knownKeys.size >= KEPT_KEYS) knownKeys.clear()
  knownKeys.set(key, bytes)
  return bytes
}

function isPlainBranch(json: unknown): boolean {
  return isBranch(json) && !Object.hasOwn(json, SERVER_VALUE)
}

function copyMembers(members: Readonly<Record<string, unknown>>, keys: readonly string[]): Branch {
  const copy = emptyBranch()
  for (const key of keys) copy[key] = members[key] as Value
  return copy
}
