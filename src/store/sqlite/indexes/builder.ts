import { DholeError } from '../../../error.ts'
import { FIRST_TEXT_KEY } from '../../../tree/order.ts'
import { isValued } from '../../rows/index-entries.ts'
import { keyEntry } from '../../rows/index-value.ts'
import { type ChildRow, isChild, LAST_KEY, NOWHERE } from '../../rows/slot.ts'
import type { OpenTransaction, Settlement } from '../commit/participant.ts'
import type { Connection } from '../file/connection.ts'
import { defineStatements } from '../file/statements.ts'
import type { TreeReader } from '../tree/tree-reader.ts'
import type { IndexCapacity } from './capacity.ts'
import type { IndexDefinition, IndexDefinitions } from './definitions.ts'
import type { IndexEntries } from './entries.ts'
import type { Neighbors } from './neighbors.ts'
import { type IndexName, type IndexRequest, IndexRequests } from './requests.ts'

/**
 * Children indexed in one transaction. Their entries are scattered over the index, so each may change a page of its own:
 * small transactions write the same pages again and again, large ones take long.
 */
const STEP_CHILDREN = 4096
/** Children indexed between two pauses. */
const PAGE_CHILDREN = 128

/** Maximum remembered indexes that are too large. */
const MAX_TOO_LARGE = 1024

/** Callbacks about builds. They also run for a step that is rolled back later. */
export interface BuildEvents {
  onBegun(): void
  /** @param rows children indexed by this process */
  onBuilt(rows: number, milliseconds: number): void
}

/** The tables of indexes on the writer's connection. */
interface IndexTables {
  readonly definitions: IndexDefinitions
  readonly entries: IndexEntries
  readonly neighbors: Neighbors
}

/** The last child that the builder has indexed. */
interface BuiltChild {
  readonly key: string
  /** Whether it has no value at the indexed path. */
  readonly isEmpty: boolean
}

/** Progress of a build in this process. */
interface Progress {
  readonly startedAt: number
  rows: number
}

const statements = defineStatements({
  // Raw SQL: it reads every row of a build.
  children: ({ client }) =>
    client.prepare<ChildRow, [number, string, string, number]>(
      'SELECT key, value, id FROM node WHERE parent_id = ? AND key > ? AND key < ? ORDER BY key LIMIT +?',
    ),
  parent: ({ client }) =>
    client.prepare<{ parent_id: number }, [number]>('SELECT parent_id FROM interior WHERE id = ?'),
})

/**
 * Builds indexes in bounded steps, each as part of an ordinary transaction, so that reads and writes go on meanwhile.
 * Writes update the entries of the part that is built. After a restart a build continues where it stopped.
 */
export class IndexBuilder {
  readonly #statements
  readonly #client
  readonly #definitions: IndexDefinitions
  readonly #entries: IndexEntries
  readonly #neighbors: Neighbors
  readonly #reader: TreeReader
  readonly #events: BuildEvents
  /** Progress of incomplete indexes, by id. */
  readonly #progress = new Map<number, Progress>()
  readonly #requests = new IndexRequests()
  #capacity: IndexCapacity | undefined
  /** Indexes that were dropped because they exceed the capacity by themselves: they are not built again. */
  readonly #tooLarge = new Set<string>()
  /** Whether a definition may be incomplete. It saves a query per transaction. */
  #mayBeUnfinished = true

  constructor(
    connection: Connection,
    { definitions, entries, neighbors }: IndexTables,
    reader: TreeReader,
    events: BuildEvents,
  ) {
    this.#statements = statements(connection)
    this.#client = connection.client
    this.#definitions = definitions
    this.#entries = entries
    this.#neighbors = neighbors
    this.#reader = reader
    this.#events = events
  }

  /** Whether there may be work. */
  get isDue(): boolean {
    return this.#mayBeUnfinished || this.#requests.hasUnanswered
  }

  /**
   * Resolves when a durable commit has the index, or the list no longer exists. Wake group commit after it.
   * @param isDeclared an index that is not declared rejects when the capacity is exhausted
   */
  request(listId: number, name: string, isDeclared: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#requests.add({ listId, name, isDeclared, resolve, reject })
    })
  }

  /** Bounds the indexes that are not declared. */
  limit(capacity: IndexCapacity): void {
    this.#capacity = capacity
  }

  /** Incomplete indexes were defined. */
  expectWork(): void {
    this.#mayBeUnfinished = true
  }

  /** The transaction was rolled back. */
  rollback(): void {
    this.#mayBeUnfinished = true
    this.#requests.forget()
  }

  /** Rejects all requests. */
  rejectAll(error: unknown): void {
    this.#requests.rejectAll(error)
  }

  /**
   * Does one step inside the open transaction. A failure rolls back the step alone and rejects all requests.
   * @returns whether it changed the file
   */
  *step({ now, settlements }: OpenTransaction): Generator<void, boolean> {
    this.#client.run('SAVEPOINT build')
    try {
      this.#defineRequested(now)
      const definition = this.#next()
      if (definition === undefined) {
        this.#mayBeUnfinished = false
        this.#progress.clear()
      } else {
        yield* this.#build(definition)
        this.#enforceCapacity(definition)
      }
      this.#client.run('RELEASE build')
      settlements.push(...this.#answered())
      return definition !== undefined
    } catch (error) {
      // After SQLite has ended the transaction by itself there is no savepoint.
      if (!this.#client.inTransaction) throw error
      this.#client.run('ROLLBACK TO build')
      this.#client.run('RELEASE build')
      this.#definitions.forget()
      this.#mayBeUnfinished = false
      this.rejectAll(error)
      return false
    }
  }

  #defineRequested(now: number): void {
    for (const request of this.#requests.all) {
      const { listId, name } = request
      if (this.#definitions.find(listId, name) !== undefined || !this.#listExists(listId)) continue
      if (this.#isAdmitted(request)) this.#definitions.define(listId, name, now)
      else this.#requests.refuse(request, noCapacityError())
    }
  }

  #isAdmitted({ listId, name, isDeclared }: IndexRequest): boolean {
    if (isDeclared) return true
    if (this.#tooLarge.has(indexOf({ listId, name }))) return false
    return this.#capacity === undefined || this.#capacity.admit(listId, (definition) => this.#requests.has(definition))
  }

  /** Drops an index that exceeds the capacity, unless it is declared. */
  #enforceCapacity(definition: IndexDefinition): void {
    const capacity = this.#capacity
    if (capacity === undefined || capacity.evictFor(definition, (other) => this.#requests.has(other))) return
    if (capacity.isTooLarge(definition)) {
      if (this.#tooLarge.size >= MAX_TOO_LARGE) this.#tooLarge.clear()
      this.#tooLarge.add(indexOf(definition))
    }
    this.#definitions.drop(definition)
    this.#entries.expectRemoval()
    this.#progress.delete(definition.id)
    this.#requests.refuse(definition, noCapacityError())
  }

  #listExists(listId: number): boolean {
    const parent = this.#statements.parent.get(listId)?.parent_id
    return parent !== undefined && parent !== NOWHERE
  }

  /** The next index to build; requested ones come first. */
  #next(): IndexDefinition | undefined {
    for (const { listId, name } of this.#requests.all) {
      const definition = this.#definitions.find(listId, name)
      if (definition !== undefined && definition.builtTo !== null) return definition
    }
    return this.#definitions.unfinished()
  }

  *#build(definition: IndexDefinition): Generator<void> {
    const { listId, path } = definition
    const progress = this.#progressOf(definition)
    const end = path === undefined ? FIRST_TEXT_KEY : LAST_KEY
    let builtTo = definition.builtTo ?? ''
    let entries = 0
    let last = this.#lastBuilt(definition, builtTo)
    for (let looked = 0; looked < STEP_CHILDREN; looked += PAGE_CHILDREN) {
      const page = this.#statements.children.all(listId, builtTo, end, PAGE_CHILDREN)
      for (const row of page) {
        if (!isChild(row.key)) continue
        const added = this.#add(definition, row, last)
        entries += added.entries
        last = added.child
      }
      builtTo = page.at(-1)?.key ?? builtTo
      progress.rows += page.length
      if (page.length < PAGE_CHILDREN) {
        this.#definitions.progress(definition, null, entries)
        this.#progress.delete(definition.id)
        this.#events.onBuilt(progress.rows, performance.now() - progress.startedAt)
        return
      }
      yield
    }
    this.#definitions.progress(definition, builtTo, entries)
  }

  /** The last child that is indexed. */
  #lastBuilt({ listId, path }: IndexDefinition, builtTo: string): BuiltChild | undefined {
    const child = path === undefined || builtTo === '' ? undefined : this.#neighbors.upTo(listId, builtTo)
    if (child === undefined || path === undefined) return undefined
    return { key: child.key, isEmpty: child.presence(path) === 'empty' }
  }

  #progressOf({ id }: IndexDefinition): Progress {
    let progress = this.#progress.get(id)
    if (progress === undefined) {
      progress = { startedAt: performance.now(), rows: 0 }
      this.#progress.set(id, progress)
      this.#events.onBegun()
    }
    return progress
  }

  /**
   * Writes the entry of a child. When only one of it and the child before it has a value, marks the other one.
   * @returns the child, and the number of entries written
   */
  #add(
    definition: IndexDefinition,
    row: ChildRow,
    last: BuiltChild | undefined,
  ): { readonly child: BuiltChild; readonly entries: number } {
    const { key } = row
    const { path } = definition
    const value = path === undefined ? keyEntry(key) : this.#reader.sortValueBelow(row, path)
    const isEmpty = !isValued(value)
    if (isValued(value)) this.#entries.insert(definition, value, key)
    let entries = isEmpty ? 0 : 1
    if (path !== undefined && last !== undefined && last.isEmpty !== isEmpty) {
      if (this.#entries.mark(definition, isEmpty ? key : last.key)) entries++
    }
    return { child: { key, isEmpty }, entries }
  }

  /** The requests that this transaction answers. */
  #answered(): Settlement[] {
    return this.#requests.answer(({ listId, name }) => {
      const definition = this.#definitions.find(listId, name)
      return definition === undefined || definition.builtTo === null
    })
  }
}

function noCapacityError(): DholeError {
  return new DholeError('unavailable', 'there is no capacity for the index')
}

/** A text that identifies an index. */
function indexOf({ listId, name }: IndexName): string {
  return `${listId} ${name}`
}
