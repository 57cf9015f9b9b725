import { DholeError } from '../../../../error.ts'
import type { SortValue } from '../../../../tree/order.ts'
import { LazyNeighbors } from '../../../rows/indexes/adjacent-rows.ts'
import { mendEntry } from '../../../rows/indexes/index-entries.ts'
import { entryOf } from '../../../rows/indexes/index-value.ts'
import { ownText } from '../../../rows/slot.ts'
import type { TreeReader } from '../../tree/tree-reader.ts'
import type { IndexDefinition, IndexDefinitions } from '../definitions.ts'
import { columnsPerEntry, type IndexEntries } from '../entries.ts'
import type { Neighbors } from '../neighbors.ts'
import { ownValue } from '../text-limit.ts'
import type { EntryBatch, IndexedList } from './child-entries.ts'
import type { EntryReceiver, EntrySource } from './entry-source.ts'

/** Entries inserted, and children mended, in one transaction. */
const STEP_ENTRIES = 512
/** Children mended between two pauses. */
const PAGE_MENDED = 64
/** Batches that are asked for ahead of their use. */
const BATCHES_AHEAD = 4
/** Maximum children that are written during a build: each takes some 150 bytes of memory, and at most 1024 characters. */
const MAX_NOTES = 250_000

/** What a build reads and writes, on the writer's connection. */
export interface BuildTables {
  readonly definitions: IndexDefinitions
  readonly entries: IndexEntries
  readonly neighbors: Neighbors
  readonly reader: TreeReader
}

/** A child that was written during a build. */
interface Note {
  readonly key: string
  /** What the index has of it. */
  readonly before: SortValue | undefined
  /** Number of the last commit before the write. */
  readonly seq: number
}

/**
 * Builds the index of a long list. Its entries are read from a snapshot and sorted elsewhere, and inserted in their
 * order by small steps. Children that are written meanwhile are noted, and mended in the end. Every step is part of a
 * transaction: `committed` or `rollback` follows.
 */
export class IndexBuild implements EntryReceiver {
  readonly list: IndexedList & Pick<IndexDefinition, 'name'>
  readonly id: number
  readonly #tables: BuildTables
  readonly #wake: () => void
  readonly #stepEntries: number
  readonly #startedAt = performance.now()
  #source: EntrySource | undefined
  /** Notes from before it is known which commits the snapshot shows, oldest first. */
  #early: Note[] | undefined = []
  #earlyCommitted = 0
  /** What the index has of the children that differ from the list. */
  readonly #notes = new Map<string, SortValue | undefined>()
  readonly #batches: EntryBatch[] = []
  #offset = 0
  /** Columns inserted, and notes mended, by the open transaction. */
  #inserted = 0
  #mended: [key: string, before: SortValue | undefined][] = []
  #isBegun = false
  #isInserted = false
  /** Whether the open transaction inserts the last entries. */
  #insertsLast = false
  #isComplete = false
  #rows = 0
  #failure: Error | undefined

  /** @param wake schedules a transaction */
  constructor(
    { id, listId, path, name, covering }: IndexDefinition,
    tables: BuildTables,
    wake: () => void,
    stepEntries = STEP_ENTRIES,
  ) {
    this.#stepEntries = stepEntries
    this.id = id
    this.list = { listId, path, name, covering }
    this.#tables = tables
    this.#wake = wake
  }

  /** Whether a step would do something. */
  get isReady(): boolean {
    return this.#failure !== undefined || this.#batches.length > 0 || this.#isInserted
  }

  get failure(): Error | undefined {
    return this.#failure
  }

  /** Whether the definition is committed. */
  get isBegun(): boolean {
    return this.#isBegun
  }

  /** Whether the last step has completed the index. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Rows read, and milliseconds since the build began. */
  get figures(): { readonly rows: number; readonly milliseconds: number } {
    return { rows: this.#rows, milliseconds: performance.now() - this.#startedAt }
  }

  /** Whether a write updates the entry of a child by itself. If not, `note` what the child was. */
  hasEntryOf(key: string): boolean {
    return this.#isInserted && !this.#notes.has(key)
  }

  /** Records a write to a child before it is done. @param seq number of the last commit before the write */
  note(key: string, before: SortValue | undefined, seq: number): void {
    if (this.#early !== undefined) this.#early.push({ key, before: before && ownValue(before), seq })
    else if (!this.#notes.has(key)) this.#notes.set(key, before && ownValue(before))
    if (this.#notes.size + (this.#early?.length ?? 0) > MAX_NOTES) {
      this.failed(new DholeError('unavailable', 'too much is written to the list to build its index'))
    }
  }

  pinned(seq: number): void {
    const early = this.#early ?? []
    this.#early = undefined
    for (const { key, before, seq: last } of early) {
      if (last >= seq && !this.#notes.has(key)) this.#notes.set(key, before)
    }
  }

  received(batch: EntryBatch): void {
    this.#batches.push(batch)
    if (this.#batches.length === 1) this.#wake()
  }

  failed(error: Error): void {
    this.#failure ??= error
    this.#wake()
  }

  /** Does one step. */
  *step(definition: IndexDefinition): Generator<void> {
    if (this.#isInserted) yield* this.#mend(definition)
    else this.#insert(definition)
  }

  #insert(definition: IndexDefinition): void {
    const [batch] = this.#batches
    if (batch === undefined) return
    const { definitions, entries } = this.#tables
    const width = columnsPerEntry(this.list)
    const columns = batch.columns.slice(this.#offset, this.#offset + this.#stepEntries * width)
    entries.insertAll(definition.id, columns, this.list.covering)
    definitions.progress(definition, '', columns.length / width)
    this.#inserted = columns.length
    if (!batch.isLast) return
    if (batch.hasCut) definitions.markCut(definition)
    this.#rows = batch.rows
    this.#isInserted = true
    this.#insertsLast = true
  }

  /** Mends noted children. Notes get no more meanwhile: other children already have their entries. */
  *#mend(definition: IndexDefinition): Generator<void> {
    for (const [key, before] of this.#notes) {
      if (this.#mended.length >= this.#stepEntries) return
      this.#mendChild(definition, key, before)
      this.#notes.delete(key)
      this.#mended.push([key, before])
      if (this.#mended.length % PAGE_MENDED === 0) yield
    }
    this.#tables.definitions.progress(definition, null, 0)
    this.#isComplete = true
  }

  #mendChild(index: IndexDefinition, key: string, before: SortValue | undefined): void {
    const { entries, neighbors, reader } = this.#tables
    const { listId } = index
    const slot = reader.slot(listId, key)
    const after = slot && entryOf(index, key, ownText(slot), (path) => reader.sortValueBelow(slot, path))
    mendEntry(entries, { index, key, before, after, adjacent: new LazyNeighbors(neighbors, listId, key) })
  }

  /** The transaction has committed. @param open starts to read the list; called once */
  committed(open: (receiver: EntryReceiver) => EntrySource): void {
    if (!this.#isBegun) this.#begin(open)
    // A snapshot that is still to come shows what is committed.
    else if (this.#source?.hasBegun === false) this.#early?.splice(0)
    this.#earlyCommitted = this.#early?.length ?? 0
    this.#mended = []
    const [batch] = this.#batches
    if (batch === undefined) return
    this.#offset += this.#inserted
    this.#inserted = 0
    this.#insertsLast = false
    if (batch.isLast || this.#offset < batch.columns.length) return
    this.#batches.shift()
    this.#offset = 0
    this.#source?.more()
  }

  #begin(open: (receiver: EntryReceiver) => EntrySource): void {
    this.#isBegun = true
    try {
      this.#source = open(this)
      for (let ahead = 1; ahead < BATCHES_AHEAD; ahead++) this.#source.more()
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
    }
  }

  /** The transaction is rolled back. */
  rollback(): void {
    this.#early?.splice(this.#earlyCommitted)
    this.#inserted = 0
    this.#isComplete = false
    this.#isInserted &&= !this.#insertsLast
    this.#insertsLast = false
    for (const [key, before] of this.#mended) this.#notes.set(key, before)
    this.#mended = []
  }

  /** Resolves when nothing of the build reads the file any more. */
  async stop(): Promise<void> {
    await this.#source?.stop()
  }
}
