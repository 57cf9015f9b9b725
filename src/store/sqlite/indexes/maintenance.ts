import { LazyNeighbors } from '../../rows/indexes/adjacent-rows.ts'
import type { IndexLimits } from '../../rows/indexes/index-capacity.ts'
import type { WrittenIndexes } from '../../rows/indexes/index-write-hook.ts'
import type { BackgroundWork, OpenTransaction } from '../commit/participant.ts'
import type { Connection } from '../file/connection.ts'
import type { TreeReader } from '../tree/tree-reader.ts'
import { IndexBuilder } from './building/builder.ts'
import type { BuildOptions } from './building/options.ts'
import { IndexCapacity } from './capacity.ts'
import { type IndexDefinition, IndexDefinitions } from './definitions.ts'
import { IndexEntries } from './entries.ts'
import { Neighbors } from './neighbors.ts'

/** Uses of indexes, and which of them may be dropped. */
export interface IndexUse {
  /** Time of the last use of indexes, by id, in milliseconds since 1970. */
  readonly used: ReadonlyMap<number, number>
  /** Time without a use after which an index is dropped, in milliseconds. */
  readonly idleMs: number
  /** Whether an index is declared and never dropped. */
  isKept(definition: IndexDefinition): boolean
  /** Id after which covering indexes may not be declared as such any more; `undefined` when there are none. */
  readonly coveringAfter: number | undefined
  /** Whether an index is declared as covering. */
  isCovering(definition: IndexDefinition): boolean
}

/** A use is recorded again when the last record is older than `idleMs` divided by this. */
const NOTED_SHARE = 8

/** Background work on indexes, in steps: builds them, drops unused ones, removes the entries of dropped ones. */
export class IndexMaintenance implements BackgroundWork {
  readonly definitions: IndexDefinitions
  readonly entries: IndexEntries
  readonly neighbors: Neighbors
  readonly builder: IndexBuilder
  #use: IndexUse | undefined

  /** @param connection the writer's */
  constructor(connection: Connection, reader: TreeReader, options: BuildOptions) {
    this.definitions = new IndexDefinitions(connection)
    this.entries = new IndexEntries(connection, this.definitions)
    this.neighbors = new Neighbors(connection, reader)
    const { definitions, entries, neighbors } = this
    this.builder = new IndexBuilder(connection, { definitions, entries, neighbors, reader }, options)
  }

  /** Whether there may be work. */
  get isDue(): boolean {
    return this.builder.isDue || this.entries.removalIsDue || this.#use !== undefined
  }

  /** What a write changes. */
  get written(): WrittenIndexes<IndexDefinition> {
    const { definitions, entries, neighbors, builder } = this
    return {
      definitions,
      entries,
      adjacentTo: (listId, key) => new LazyNeighbors(neighbors, listId, key),
      upkeepOf: (index, key) => builder.upkeepOf(index, key),
      note: (key, before) => builder.note(key, before),
    }
  }

  /** Bounds the indexes that queries create. Without a call there are no bounds. */
  limit(limits: IndexLimits<IndexDefinition>): void {
    this.builder.limit(new IndexCapacity(this.definitions, this.entries, limits))
  }

  /** Records uses and drops unused indexes with the next transaction. */
  age(use: IndexUse): void {
    this.#use = use
  }

  /** Defines the indexes of a list for the list that replaces it. */
  inherit(from: number, to: number): void {
    if (this.definitions.of(from).length === 0) return
    this.definitions.inherit(from, to, Date.now())
    this.builder.expectWork()
  }

  *step(transaction: OpenTransaction): Generator<void, boolean> {
    const aged = this.#age(transaction.now)
    this.builder.endDropped()
    const removed = this.entries.removalIsDue && this.entries.removeDropped()
    const built = this.builder.isDue && (yield* this.builder.step(transaction))
    return aged || removed || built
  }

  /** Whether something else than a transaction is waited for. */
  get isWaiting(): boolean {
    return this.builder.isBuilding
  }

  committed(): void {
    this.builder.committed()
  }

  rollback(): void {
    this.definitions.forget()
    this.builder.rollback()
    this.entries.expectRemoval()
  }

  #age(now: number): boolean {
    const use = this.#use
    if (use === undefined) return false
    let changed = false
    for (const [id, at] of use.used) {
      changed = this.definitions.touch(id, at, at - use.idleMs / NOTED_SHARE) || changed
    }
    const covering = use.coveringAfter === undefined ? [] : this.definitions.covering(use.coveringAfter)
    for (const definition of covering) {
      if (use.isCovering(definition)) continue
      this.definitions.uncover(definition)
      changed = true
    }
    const unused = this.definitions.unusedSince(now - use.idleMs)
    for (const definition of unused) {
      if (use.isKept(definition)) this.definitions.touch(definition.id, now, now)
      else this.definitions.drop(definition)
    }
    if (unused.length > 0) this.entries.expectRemoval()
    // After a rollback the next call of `age` repeats what was lost.
    const coveringAfter = covering.at(-1)?.id
    const isLeft = unused.length > 0 || coveringAfter !== undefined
    this.#use = isLeft ? { ...use, used: new Map(), coveringAfter } : undefined
    return changed || unused.length > 0
  }
}
