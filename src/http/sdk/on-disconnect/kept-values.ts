import { DholeError } from '../../../error.ts'
import { covers, formatPath, type Path } from '../../../tree/path.ts'

/** Maximum values of a session, and length of all of them. */
const MOST_VALUES = 1000
const MOST_LENGTH = 1024 * 1024

/** A value to write when a session has ended. */
export interface LeftWrite {
  readonly path: Path
  /** As clients send it. */
  readonly json: unknown
}

/** A value that is kept, with its number. */
interface KeptValue extends LeftWrite {
  readonly position: number
}

/** What has changed since it was stored. */
export interface ValuesChange {
  readonly added: readonly KeptValue[]
  /** Positions. */
  readonly removed: readonly number[]
}

/**
 * What a client wants written when its connection has ended: values at paths, none of which covers another.
 * @see docs/reference/sdk-protocol.md#on-disconnect
 */
export class KeptValues {
  readonly #values = new Map<string, KeptValue>()
  #length = 0
  #lastPosition = 0
  /** The last one that may be stored. */
  #lastTaken = 0
  /** What is to be stored, and what is to be removed from what is stored, by position. */
  #added = new Map<number, KeptValue>()
  #removed = new Set<number>()

  get size(): number {
    return this.#values.size
  }

  /** About how long the values are as JSON, in UTF-16 code units. */
  get length(): number {
    return this.#length
  }

  /** @throws `quota` if these are too many more */
  check(writes: readonly LeftWrite[]): void {
    const length = writes.reduce((sum, write) => sum + lengthOf(write), this.#length)
    if (this.size + writes.length > MOST_VALUES || length > MOST_LENGTH) throw new DholeError('quota')
  }

  /** Replaces everything kept at and below the path, and that part of a value kept above. */
  set(path: Path, json: unknown): void {
    const above = this.#above(path)
    if (above === undefined) {
      this.#removeBelow(path)
      this.#keep({ path, json })
    } else {
      this.#remove(formatPath(above.path))
      this.#keep({ path: above.path, json: withPart(above.json, path.slice(above.path.length), json) })
    }
  }

  /** Forgets everything kept at and below the path, and that part of a value kept above. */
  forget(path: Path): void {
    const above = this.#above(path)
    this.#removeBelow(path)
    if (above === undefined || above.path.length === path.length) return
    this.#remove(formatPath(above.path))
    for (const write of without(above, path)) this.#keep(write)
  }

  /** What has changed since the last call. */
  takeChange(): ValuesChange {
    const change = { added: [...this.#added.values()], removed: [...this.#removed] }
    this.#added = new Map()
    this.#removed = new Set()
    this.#lastTaken = this.#lastPosition
    return change
  }

  /** A change was not stored, or may not have been: the next one has it, too. */
  giveBack({ added, removed }: ValuesChange): void {
    for (const position of removed) this.#removed.add(position)
    for (const value of added) {
      if (this.#values.get(formatPath(value.path)) === value) this.#added.set(value.position, value)
      else this.#removed.add(value.position)
    }
  }

  #keep({ path, json }: LeftWrite): void {
    const value = { path, json, position: ++this.#lastPosition }
    this.#values.set(formatPath(path), value)
    this.#added.set(value.position, value)
    this.#length += lengthOf(value)
  }

  #remove(name: string): void {
    const value = this.#values.get(name)
    if (value === undefined) return
    this.#length -= lengthOf(value)
    this.#values.delete(name)
    this.#added.delete(value.position)
    if (value.position <= this.#lastTaken) this.#removed.add(value.position)
  }

  #above(path: Path): LeftWrite | undefined {
    for (let length = 0; length <= path.length; length++) {
      const kept = this.#values.get(formatPath(path.slice(0, length)))
      if (kept !== undefined) return kept
    }
    return undefined
  }

  #removeBelow(path: Path): void {
    for (const [name, value] of this.#values) if (covers(path, value.path)) this.#remove(name)
  }
}

function lengthOf({ path, json }: LeftWrite): number {
  return formatPath(path).length + JSON.stringify(json).length
}

/** A value in which one part is another value. A leaf on the way is replaced by an object. */
function withPart(json: unknown, [key, ...rest]: Path, part: unknown): unknown {
  if (key === undefined) return part
  const members = membersOf(json)
  members.set(key, withPart(members.get(key), rest, part))
  return Object.fromEntries(members)
}

/** The writes that remain of one when a part of it is forgotten: those of the other children on the way. */
function* without({ path, json }: LeftWrite, forgotten: Path): Generator<LeftWrite> {
  const key = forgotten[path.length]
  if (key === undefined) return
  for (const [name, child] of membersOf(json)) {
    const write = { path: [...path, name], json: child }
    if (name === key) yield* without(write, forgotten)
    else yield write
  }
}

function membersOf(json: unknown): Map<string, unknown> {
  return new Map(typeof json === 'object' && json !== null ? Object.entries(json) : [])
}
