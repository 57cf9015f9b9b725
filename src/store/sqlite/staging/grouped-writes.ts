import { edit } from '../../../tree/edit.ts'
import { type JsonText, parseStored } from '../../../tree/json/print.ts'
import { sortKey } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import type { Value } from '../../../tree/value.ts'
import type { Write } from '../../../tree/write.ts'
import { chunkedTextOf, interiorOf, ROOT_KEY, ROOT_PARENT } from '../../rows/slot.ts'
import type { TreeWriter } from '../tree/tree-writer.ts'
import { isLarge, type StagedValue } from './staged-values.ts'

/** Writes between two pauses. Few: each may remove a long text. */
const WRITES_BEFORE_PAUSE = 2

/** Writes that end inside one slot, or inside the same missing slot. */
export interface Group {
  readonly parent: number
  readonly key: string
  /** Of the slot. */
  readonly path: Path
  readonly writes: { readonly index: number; readonly write: Write }[]
}

/**
 * Applies the writes of one change. Writes that end inside the same slot are applied together, so that its text is
 * read, parsed and written once.
 */
export class GroupedWrites {
  readonly #writer: TreeWriter
  readonly #writes: readonly Write[]
  readonly #texts: (JsonText | undefined)[]
  /** By the parent and key of their slots. */
  readonly #groups = new Map<number, Map<string, Group>>()

  constructor(writer: TreeWriter, writes: readonly Write[]) {
    this.#writer = writer
    this.#writes = writes
    this.#texts = new Array(writes.length).fill(undefined)
  }

  /** @returns stored text of each value written, where it was printed as a whole */
  *apply(): Generator<void, readonly (JsonText | undefined)[]> {
    let phase = 0
    for (const [index, write] of this.#writes.entries()) {
      // A delete may remove ancestors, unless a set below them comes first; a priority needs its node.
      const next = phaseOf(write)
      if (next !== phase) yield* this.#applyGroups()
      phase = next
      if (!this.add(index, write)) this.#texts[index] = yield* this.#writer.apply(write)
      if (index % WRITES_BEFORE_PAUSE === WRITES_BEFORE_PAUSE - 1) yield
    }
    yield* this.#applyGroups()
    return this.#texts
  }

  /** Adds a write to its group. @returns `false` for a write that replaces a whole slot */
  add(index: number, write: Write): boolean {
    const group = this.#groupOf(write.path)
    group?.writes.push({ index, write })
    return group !== undefined
  }

  /** The groups of the added writes. */
  *take(): Iterable<Group> {
    for (const siblings of this.#groups.values()) yield* siblings.values()
  }

  /** The group of the slot, present or missing, inside which a path ends; `undefined` for the path of a slot. */
  #groupOf(path: Path): Group | undefined {
    let parent = ROOT_PARENT
    for (let depth = 0; depth <= path.length; depth++) {
      const key = depth === 0 ? ROOT_KEY : (path[depth - 1] ?? '')
      const known = this.#groups.get(parent)?.get(key)
      if (known !== undefined) return known
      if (depth === path.length) return undefined
      const id = interiorOf(this.#writer.slot(parent, sortKey(key)))
      if (id === undefined) return this.#open(parent, key, path.slice(0, depth))
      parent = id
    }
    return undefined
  }

  #open(parent: number, key: string, path: Path): Group {
    const group: Group = { parent, key, path, writes: [] }
    const siblings = this.#groups.get(parent)
    if (siblings === undefined) this.#groups.set(parent, new Map([[key, group]]))
    else siblings.set(key, group)
    return group
  }

  *#applyGroups(): Generator<void> {
    for (const group of this.take()) yield* this.#applyGroup(group)
    this.#groups.clear()
  }

  *#applyGroup({ parent, key, path, writes }: Group): Generator<void> {
    const [first] = writes
    if (first !== undefined && writes.length === 1) {
      this.#texts[first.index] = yield* this.#writer.apply(first.write)
      return
    }
    const slot = this.#writer.slot(parent, sortKey(key))
    // The slot of a text in chunks has only its beginning.
    if (chunkedTextOf(slot) !== undefined) return yield* this.#applyEach(writes)
    let value: Value | undefined = typeof slot?.value === 'string' ? parseStored(slot.value) : undefined
    const inside: StagedValue[] = []
    for (const [number, { write }] of writes.entries()) {
      value = edit(value, write.path, write, path.length)
      if (write.kind === 'value' && write.value !== undefined && isLarge(write.value)) {
        inside.push({ path: write.path.slice(path.length), value: write.value })
      }
      if (number % WRITES_BEFORE_PAUSE === WRITES_BEFORE_PAUSE - 1) yield
    }
    yield* this.#writer.apply({ kind: 'value', path, value }, inside)
    yield
  }

  *#applyEach(writes: Group['writes']): Generator<void> {
    for (const { index, write } of writes) {
      this.#texts[index] = yield* this.#writer.apply(write)
      yield
    }
  }
}

/** Order of application: sets, deletes, priorities. */
export function phaseOf(write: Write): number {
  if (write.kind === 'priority') return 2
  return write.value === undefined ? 1 : 0
}
