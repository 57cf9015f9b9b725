import { isUtf8 } from 'node:buffer'
import type { PartToPut, TreeAdmin } from '../../admin/tree-admin.ts'
import { DholeError } from '../../error.ts'
import type { Limits } from '../../tree/limits.ts'
import { checkWhole, planPart } from '../../tree/partial-write.ts'
import { formatPath, type Path } from '../../tree/path.ts'
import type { Priority } from '../../tree/priority.ts'
import { isBranch } from '../../tree/value.ts'
import { type FaultyText, findFault, JsonFault } from './json-fault.ts'
import type { BrokenText, MembersSlice, Slice } from './json-slice.ts'

/** Members of one commit: more of them, however short, would hold the loop of a server. */
const MOST_MEMBERS = 4096

/** What a server value may be written with: its name, or that name with characters escaped. */
const MAY_BE_SERVER_VALUE = ['".sv"', '\\u002e', '\\u002E', '\\u0073', '\\u0076'].map((text) => Buffer.from(text))
const [BRACE, END_BRACE] = [Buffer.from('{'), Buffer.from('}')]

/** Priorities of the nodes that are being told in parts, by their paths as text. */
export type HeldPriorities = Map<string, Priority | null>

interface ImportTarget {
  readonly tree: TreeAdmin
  readonly path: Path
  readonly limits: Limits
  /** Whether children that the text does not name stay. */
  readonly merge: boolean
}

/**
 * Writes slices to a tree in their order. One is on its way while the next one is read; a node that is told in parts
 * gets its priority when it is there.
 */
export class Importing {
  readonly #target: ImportTarget
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  readonly #priorities: HeldPriorities
  #underWay: Promise<void> = Promise.resolve()

  constructor(target: ImportTarget, priorities: HeldPriorities = new Map()) {
    this.#target = target
    this.#priorities = priorities
  }

  /** Priority of a node that is being told in parts, if it was met. */
  priorityOf(path: Path): Priority | null | undefined {
    return this.#priorities.get(formatPath(path))
  }

  /**
   * Sends a slice on its way, once the one before is durable.
   * @param read called when members have been read: what it returns is called when they are durable
   * @throws JsonFault when a PUT would not take it: then nothing of it is written. Error for the slice before
   */
  async take(slice: Slice, read: () => (() => void) | undefined = () => undefined): Promise<void> {
    switch (slice.kind) {
      case 'whole':
        return this.#whole(slice.bytes, slice.offset)
      case 'open':
        return this.#open(slice.keys)
      case 'members':
        return this.#members(slice, read)
      case 'close':
        return this.#close(slice.keys)
      default:
        return slice satisfies never
    }
  }

  /** Resolves when all is durable. */
  settled(): Promise<void> {
    return this.#underWay
  }

  /** What is wrong with a text that is not even in slices. */
  faultOf({ message, window, at }: BrokenText): JsonFault {
    const { bytes, offset } = window
    const path = window.kind === 'whole' ? this.#target.path : [...this.#target.path, ...window.keys]
    const text = window.kind === 'whole' ? { bytes, offset, path } : { bytes, offset, path, members: window }
    return findFault(text, this.#target.limits) ?? new JsonFault(message, path, at)
  }

  async #whole(bytes: Uint8Array, offset: number): Promise<void> {
    const { tree, path, limits, merge } = this.#target
    const json = this.#checked({ bytes, offset, path }, () => {
      const parsed: unknown = JSON.parse(this.#utf8.decode(bytes))
      checkWhole(path, parsed, limits)
      return parsed
    })
    if (!merge) return this.#send(() => tree.put(path, json))
    if (!isBranch(json)) throw new JsonFault('only the children of an object can be merged', path, offset)
    const members: Record<string, unknown> = Array.isArray(json) ? byIndex(json, 0) : json
    const { plan, priority } = this.#checked({ bytes, offset, path }, () => planPart(path, members, limits))
    if (plan.writes.length > 0)
      await this.#send(() => tree.putPart(path, { plan, text: () => JSON.stringify(members) }))
    if (priority !== undefined) await this.#send(() => tree.putPriority(path, priority))
  }

  /** What stood there goes first: also what the same text has said of it further up. */
  async #open(keys: readonly string[]): Promise<void> {
    const { tree, path, merge } = this.#target
    const place = [...path, ...keys]
    this.#priorities.delete(formatPath(place))
    if (!merge || keys.length > 0) await this.#send(() => tree.put(place, null))
  }

  async #members(slice: MembersSlice, read: () => (() => void) | undefined): Promise<void> {
    const { bytes, offset, keys, isArray, first } = slice
    const { tree, limits } = this.#target
    const path = [...this.#target.path, ...keys]
    if (tree.putText !== undefined && isAsItStands(slice)) {
      const text = Buffer.concat([BRACE, bytes, END_BRACE])
      const copy = { bytes: text.subarray(1, -1), offset, path, members: { isArray, first } }
      return this.#send(() => this.#asked(copy, tree.putText?.(path, text)), read())
    }
    const where = { bytes, offset, path, members: { isArray, first } }
    const { source, groups } = this.#checked(where, () => {
      const inner = this.#utf8.decode(bytes)
      const source = isArray ? `[${inner}]` : `{${inner}}`
      const json: unknown = JSON.parse(source)
      const members = Array.isArray(json) ? byIndex(json, first) : (json as Record<string, unknown>)
      return { source, groups: groupsOf(members) }
    })
    for (const [index, group] of groups.entries()) {
      const { plan, priority } = this.#checked(where, () => planPart(path, group, limits))
      if (priority !== undefined) this.#priorities.set(formatPath(path), priority)
      const isAsWritten = !isArray && priority === undefined && groups.length === 1
      const part: PartToPut = { plan, text: isAsWritten ? () => source : () => JSON.stringify(group) }
      await this.#send(() => tree.putPart(path, part), index === groups.length - 1 ? read() : undefined)
    }
  }

  async #close(keys: readonly string[]): Promise<void> {
    const place = [...this.#target.path, ...keys]
    const priority = this.priorityOf(place)
    this.#priorities.delete(formatPath(place))
    if (priority !== undefined) await this.#send(() => this.#target.tree.putPriority(place, priority))
  }

  async #send(write: () => Promise<void>, done: () => void = () => {}): Promise<void> {
    await this.#underWay
    this.#underWay = write().then(done)
    // Whoever waits for it hears of it.
    this.#underWay.catch(() => {})
  }

  /** Has the server look at a text. @throws JsonFault where it has reason to refuse it */
  async #asked(text: FaultyText, written: Promise<void> | undefined): Promise<void> {
    try {
      await written
    } catch (error) {
      throw findFault(text, this.#target.limits) ?? error
    }
  }

  /** @throws JsonFault with the exact place in place of what a parser or the tree says */
  #checked<T>(text: FaultyText, read: () => T): T {
    try {
      return read()
    } catch (error) {
      const isExpected = error instanceof DholeError || error instanceof SyntaxError || error instanceof TypeError
      if (!isExpected) throw error
      throw findFault(text, this.#target.limits) ?? new JsonFault(error.message, text.path, text.offset)
    }
  }
}

/**
 * Whether a PATCH of the members as they are written does what is meant, or refuses them: keys hold no paths, the node
 * has no priority among them and nothing is filled in.
 */
function isAsItStands({ bytes, isArray, hasOddKeys, count }: MembersSlice): boolean {
  if (isArray || hasOddKeys || count > MOST_MEMBERS || !isUtf8(bytes)) return false
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return MAY_BE_SERVER_VALUE.every((text) => !buffer.includes(text))
}

/** The same members, not too many at a time. */
function groupsOf(members: Record<string, unknown>): readonly Record<string, unknown>[] {
  const keys = Object.keys(members)
  if (keys.length <= MOST_MEMBERS) return [members]
  const groups: Record<string, unknown>[] = []
  for (let from = 0; from < keys.length; from += MOST_MEMBERS) {
    groups.push(Object.fromEntries(keys.slice(from, from + MOST_MEMBERS).map((key) => [key, members[key]])))
  }
  return groups
}

/** Elements as children; holes are left out. */
function byIndex(elements: readonly unknown[], first: number): Record<string, unknown> {
  const members = Object.create(null) as Record<string, unknown>
  for (const [index, element] of elements.entries()) if (element !== null) members[String(first + index)] = element
  return members
}

/** Path of a node by its place among those that are open. */
export function pathsOfOpen(path: Path, open: readonly { readonly key: string }[]): readonly Path[] {
  return open.map((_, depth) => [...path, ...open.slice(1, depth + 1).map(({ key }) => key)])
}
