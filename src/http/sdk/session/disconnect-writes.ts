import { DholeError } from '../../../error.ts'
import { covers, formatPath, type Path } from '../../../tree/path.ts'

/** Maximum values of a session, and length of all of them. All are stored whenever one changes. */
const MOST_WRITES = 1000
const MOST_LENGTH = 1024 * 1024

/** A value to write when a connection has ended. */
export interface DisconnectWrite {
  readonly path: Path
  /** As clients send it. */
  readonly json: unknown
}

/**
 * What a client wants written when its connection has ended: values at paths, none of which covers another.
 * @see docs/reference/sdk-protocol.md#on-disconnect
 */
export class DisconnectWrites {
  readonly #writes = new Map<string, DisconnectWrite>()
  #length = 0

  get size(): number {
    return this.#writes.size
  }

  /** About how long the values are as JSON, in UTF-16 code units. */
  get length(): number {
    return this.#length
  }

  /** @throws `quota` if these are too many more */
  check(writes: readonly DisconnectWrite[]): void {
    const length = writes.reduce((sum, write) => sum + lengthOf(write), this.#length)
    if (this.size + writes.length > MOST_WRITES || length > MOST_LENGTH) throw new DholeError('quota')
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

  get all(): readonly DisconnectWrite[] {
    return [...this.#writes.values()]
  }

  #keep(write: DisconnectWrite): void {
    this.#writes.set(formatPath(write.path), write)
    this.#length += lengthOf(write)
  }

  #remove(name: string): void {
    const write = this.#writes.get(name)
    if (write !== undefined) this.#length -= lengthOf(write)
    this.#writes.delete(name)
  }

  #above(path: Path): DisconnectWrite | undefined {
    for (let length = 0; length <= path.length; length++) {
      const kept = this.#writes.get(formatPath(path.slice(0, length)))
      if (kept !== undefined) return kept
    }
    return undefined
  }

  #removeBelow(path: Path): void {
    for (const [name, write] of this.#writes) if (covers(path, write.path)) this.#remove(name)
  }
}

function lengthOf({ path, json }: DisconnectWrite): number {
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
function* without({ path, json }: DisconnectWrite, forgotten: Path): Generator<DisconnectWrite> {
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
