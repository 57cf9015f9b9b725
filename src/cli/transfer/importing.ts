import { isUtf8 } from 'node:buffer'
import { DholeError } from '../../error.ts'
import type { Limits } from '../../tree/limits.ts'
import { checkWhole, planPart } from '../../tree/partial-write.ts'
import { formatPath, type Path } from '../../tree/path.ts'
import type { Priority } from '../../tree/priority.ts'
import { isBranch } from '../../tree/value.ts'
import type { TreeAdmin } from '../connect/tree-admin.ts'
import { type FaultyText, findFault, JsonFault } from './json-fault.ts'
import type { BrokenText, MembersSlice, Slice } from './json-slice.ts'

/** Maximum members of one commit: more would hold the event loop of a server. */
const MAX_MEMBERS = 4096

/** Texts of a possible server value: its name, or that name with escapes. */
const MAY_BE_SERVER_VALUE = ['".sv"', '\\u002e', '\\u002E', '\\u0073', '\\u0076'].map((text) => Buffer.from(text))
const [BRACE, END_BRACE] = [Buffer.from('{'), Buffer.from('}')]

/** Priorities of the split nodes by path. */
export type HeldPriorities = Map<string, Priority | null>

interface ImportTarget {
  readonly tree: TreeAdmin
  readonly path: Path
  readonly limits: Limits
  /** Whether children that the text does not name stay. */
  readonly merge: boolean
}

/**
 * Writes slices to a tree in order. One write is pending while the next slice is read. A split node gets its priority
 * when it is complete.
 */
export class Importing {
  readonly #target: ImportTarget
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  readonly #priorities: HeldPriorities
  #pending: Promise<void> = Promise.resolve()

  constructor(target: ImportTarget, priorities: HeldPriorities = new Map()) {
    this.#target = target
    this.#priorities = priorities
  }

  /** Known priority of a split node. */
  priorityOf(path: Path): Priority | null | undefined {
    return this.#priorities.get(formatPath(path))
  }

  /**
   * Starts the write of a slice when the previous one is durable.
   * @param read called after reading members; its result is called when they are durable
   * @throws JsonFault when a PUT would refuse the slice: nothing of it is written. Error of the previous write
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

  /** Resolves when every write is durable. */
  settled(): Promise<void> {
    return this.#pending
  }

  /** Exact fault of a text that cannot be split. */
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
    if (plan.writes.length > 0) await this.#send(() => tree.putMembers(path, JSON.stringify(members)))
    if (priority !== undefined) await this.#send(() => tree.putPriority(path, priority))
  }

  /** Deletes the old node first, also when an earlier part of the text wrote it. */
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
    if (canSendText(slice)) {
      const text = Buffer.concat([BRACE, bytes, END_BRACE])
      const copy = { bytes: text.subarray(1, -1), offset, path, members: { isArray, first } }
      return this.#send(() => this.#checkedByServer(copy, tree.putMembers(path, text)), read())
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
      const { priority } = this.#checked(where, () => planPart(path, group, limits))
      if (priority !== undefined) this.#priorities.set(formatPath(path), priority)
      const isAsWritten = !isArray && priority === undefined && groups.length === 1
      const text = isAsWritten ? source : JSON.stringify(group)
      await this.#send(() => tree.putMembers(path, text), index === groups.length - 1 ? read() : undefined)
    }
  }

  async #close(keys: readonly string[]): Promise<void> {
    const place = [...this.#target.path, ...keys]
    const priority = this.priorityOf(place)
    this.#priorities.delete(formatPath(place))
    if (priority !== undefined) await this.#send(() => this.#target.tree.putPriority(place, priority))
  }

  async #send(write: () => Promise<void>, done: () => void = () => {}): Promise<void> {
    await this.#pending
    this.#pending = write().then(done)
    // The next `await` of the write reports its error.
    this.#pending.catch(() => {})
  }

  /** Waits for a write that the server checks. @throws JsonFault when the server has refused it */
  async #checkedByServer(text: FaultyText, written: Promise<void>): Promise<void> {
    try {
      await written
    } catch (error) {
      throw findFault(text, this.#target.limits) ?? error
    }
  }

  /** @throws JsonFault with the exact position, in place of an error of the parser or the tree */
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
 * Whether a PATCH with the unchanged text has the right effect: keys hold no paths, and there is neither a priority of
 * the node nor a server value.
 */
function canSendText({ bytes, isArray, hasOddKeys, count }: MembersSlice): boolean {
  if (isArray || hasOddKeys || count > MAX_MEMBERS || !isUtf8(bytes)) return false
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return MAY_BE_SERVER_VALUE.every((text) => !buffer.includes(text))
}

/** Splits members into groups of bounded size. */
function groupsOf(members: Record<string, unknown>): readonly Record<string, unknown>[] {
  const keys = Object.keys(members)
  if (keys.length <= MAX_MEMBERS) return [members]
  const groups: Record<string, unknown>[] = []
  for (let from = 0; from < keys.length; from += MAX_MEMBERS) {
    groups.push(Object.fromEntries(keys.slice(from, from + MAX_MEMBERS).map((key) => [key, members[key]])))
  }
  return groups
}

/** Elements as children; holes are left out. */
function byIndex(elements: readonly unknown[], first: number): Record<string, unknown> {
  const members = Object.create(null) as Record<string, unknown>
  for (const [index, element] of elements.entries()) if (element !== null) members[String(first + index)] = element
  return members
}

/** Paths of the open containers, by depth. */
export function pathsOfOpen(path: Path, open: readonly { readonly key: string }[]): readonly Path[] {
  return open.map((_, depth) => [...path, ...open.slice(1, depth + 1).map(({ key }) => key)])
}
