import type { SortValue } from '../../../../tree/order.ts'
import { noCapacityError } from '../../../rows/indexes/index-capacity.ts'
import { type IndexName, indexOf } from '../../../rows/indexes/index-name.ts'
import { NOWHERE } from '../../../rows/slot.ts'
import type { OpenTransaction, Settlement } from '../../commit/participant.ts'
import type { Connection } from '../../file/connection.ts'
import { defineStatements } from '../../file/statements.ts'
import type { IndexCapacity } from '../capacity.ts'
import type { IndexDefinition } from '../definitions.ts'
import { type BuildTables, IndexBuild } from './build.ts'
import { buildAtOnce } from './build-at-once.ts'
import type { BuildOptions } from './options.ts'
import { type IndexRequest, IndexRequests } from './requests.ts'

/** Longest list that is indexed in one transaction, in children: sooner than a worker starts. */
const SHORT_BUILD = 2048
/** Maximum remembered indexes that are too large. */
const MAX_TOO_LARGE = 1024

const statements = defineStatements({
  list: ({ client }) =>
    client.prepare<{ parent: number; children: number }, [number]>(
      'SELECT parent_id AS parent, child_count AS children FROM interior WHERE id = ?',
    ),
})

/**
 * Builds indexes as part of ordinary transactions. A short list is indexed in one transaction; the entries of a long one
 * are sorted by a worker, one list at a time, and inserted in steps, so that reads and writes go on meanwhile. A build
 * that a restart has cut off begins anew.
 */
export class IndexBuilder {
  readonly #statements
  readonly #connection: Connection
  readonly #tables: BuildTables
  readonly #options: BuildOptions
  readonly #requests = new IndexRequests()
  #wake: () => void = () => {}
  #capacity: IndexCapacity | undefined
  /** Indexes that were dropped because they exceed the capacity by themselves: they are not built again. */
  readonly #tooLarge = new Set<string>()
  /** Whether there may be a request or an incomplete index that no step has seen. It saves queries per transaction. */
  #hasNews = true
  /** The build of a long list. */
  #build: IndexBuild | undefined
  /** Builds that still read the file. */
  readonly #stopping = new Set<Promise<void>>()
  #isClosed = false

  constructor(connection: Connection, tables: BuildTables, options: BuildOptions) {
    this.#statements = statements(connection)
    this.#connection = connection
    this.#tables = tables
    this.#options = options
  }

  /** Whether a step would do something. */
  get isDue(): boolean {
    return this.#hasNews || this.#build?.isReady === true
  }

  /** Whether an index is being built, so that a step will be due. */
  get isBuilding(): boolean {
    return this.#build !== undefined
  }

  /**
   * Resolves when a durable commit has the index, or the list no longer exists. Wake group commit after it.
   * @param isDeclared an index that is not declared rejects when the capacity is exhausted
   */
  request(listId: number, name: string, isDeclared: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#requests.add({ listId, name, isDeclared, resolve, reject })
      this.#hasNews = true
    })
  }

  /** Bounds the indexes that are not declared. */
  limit(capacity: IndexCapacity): void {
    this.#capacity = capacity
  }

  /** @param wake schedules a transaction; it must not throw */
  wakeWith(wake: () => void): void {
    this.#wake = wake
  }

  /** Incomplete indexes were defined. */
  expectWork(): void {
    this.#hasNews = true
  }

  /** What a write to a child does for an index: changes its entry, has it noted, or nothing. */
  upkeepOf({ id, builtTo }: IndexDefinition, key: string): 'entry' | 'note' | 'none' {
    if (builtTo === null) return 'entry'
    if (this.#build?.id !== id) return 'none'
    return this.#build.hasEntryOf(key) ? 'entry' : 'note'
  }

  /** Records a write to a child of the list whose index is built, before it is done. */
  note(key: string, before: SortValue | undefined): void {
    this.#build?.note(key, before, this.#options.lastSeq())
  }

  committed(): void {
    const build = this.#build
    if (build === undefined) return
    build.committed((receiver) => this.#options.openSource(this.#connection.client.filename, build.list, receiver))
    if (!build.isComplete) return
    const { rows, milliseconds } = build.figures
    this.#end()
    this.#options.onBuilt(rows, milliseconds)
  }

  /** The transaction was rolled back. */
  rollback(): void {
    if (this.#build?.isBegun === false) this.#end()
    this.#build?.rollback()
    this.#hasNews = true
    this.#requests.forget()
  }

  /** Rejects all requests, and ends the build: the next request begins anew. */
  rejectAll(error: unknown): void {
    this.#end()
    this.#requests.rejectAll(error)
  }

  /** Builds nothing any more. Resolves when nothing reads the file. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#end()
    await Promise.all(this.#stopping)
  }

  /** Ends the build of a long list, complete or not. */
  #end(): void {
    if (this.#build === undefined) return
    const stopped = this.#build.stop()
    this.#build = undefined
    this.#hasNews = true
    this.#stopping.add(stopped)
    stopped.finally(() => this.#stopping.delete(stopped))
  }

  /**
   * Does one step inside the open transaction. A failure rolls back the step alone and rejects all requests.
   * @returns whether it changed the file
   */
  *step({ now, settlements }: OpenTransaction): Generator<void, boolean> {
    const { client } = this.#connection
    if (this.#isClosed) return false
    client.run('SAVEPOINT build')
    try {
      const changed = yield* this.#advance(now)
      client.run('RELEASE build')
      settlements.push(...this.#answered())
      return changed
    } catch (error) {
      // After SQLite has ended the transaction by itself there is no savepoint.
      if (!client.inTransaction) throw error
      client.run('ROLLBACK TO build')
      client.run('RELEASE build')
      this.#tables.definitions.forget()
      this.#options.onFailed(error)
      this.rejectAll(error)
      this.#hasNews = false
      return false
    }
  }

  *#advance(now: number): Generator<void, boolean> {
    if (this.#hasNews) {
      this.#hasNews = false
      this.#defineRequested(now)
      const definition = this.#next()
      if (definition !== undefined) {
        yield* this.#begin(this.#emptied(definition, now))
        return true
      }
    }
    return this.#build?.isReady === true && (yield* this.#continue(this.#build))
  }

  #defineRequested(now: number): void {
    for (const request of this.#requests.all) {
      const { listId, name, isDeclared } = request
      const definition = this.#tables.definitions.find(listId, name)
      if ((definition !== undefined && !isDeclared) || this.#list(listId) === undefined) continue
      const covering = this.#capacity?.isCovering(request) ?? false
      if (definition !== undefined && (definition.covering || !covering)) continue
      if (definition !== undefined) this.#drop(definition)
      if (covering || this.#isAdmitted(request)) this.#tables.definitions.define(listId, name, covering, now)
      else this.#requests.refuse(request, noCapacityError())
    }
  }

  #isAdmitted({ listId, name, isDeclared }: IndexRequest): boolean {
    if (isDeclared) return true
    if (this.#tooLarge.has(indexOf({ listId, name }))) return false
    return this.#capacity === undefined || this.#capacity.admit(listId, (definition) => this.#requests.has(definition))
  }

  /** The list of that id, unless it is not part of the tree. */
  #list(id: number): { readonly children: number } | undefined {
    const row = this.#statements.list.get(id)
    return row === null || row.parent === NOWHERE ? undefined : row
  }

  #isShort({ listId }: IndexName): boolean {
    return (this.#list(listId)?.children ?? 0) <= (this.#options.shortBuild ?? SHORT_BUILD)
  }

  /** The next index to begin with; requested ones come first. While a long list is sorted, only short ones are begun. */
  #next(): IndexDefinition | undefined {
    const { definitions } = this.#tables
    for (const { listId, name } of this.#requests.all) {
      const definition = definitions.find(listId, name)
      if (definition === undefined || definition.builtTo === null || definition.id === this.#build?.id) continue
      if (this.#build === undefined || this.#isShort(definition)) return definition
    }
    return this.#build === undefined ? definitions.unfinished() : undefined
  }

  /** Defines an index anew if a build that was cut off has left entries. */
  #emptied(definition: IndexDefinition, now: number): IndexDefinition {
    const { listId, name, builtTo, entries, covering } = definition
    if (builtTo === '' && entries === 0) return definition
    this.#drop(definition)
    this.#tables.definitions.define(listId, name, covering, now)
    return this.#tables.definitions.find(listId, name) ?? definition
  }

  *#begin(definition: IndexDefinition): Generator<void> {
    this.#options.onBegun()
    if (!this.#isShort(definition)) {
      this.#build = new IndexBuild(definition, this.#tables, () => this.#wake(), this.#options.stepEntries)
      return
    }
    const startedAt = performance.now()
    const rows = yield* buildAtOnce(this.#connection, this.#tables, definition)
    this.#options.onBuilt(rows, performance.now() - startedAt)
    this.#enforceCapacity(definition)
    this.#hasNews = true
  }

  /** Ends the build of an index that is dropped. Call it before the removal of its entries, which frees its id. */
  endDropped(): void {
    if (this.#build === undefined) return
    const { id, list } = this.#build
    if (this.#tables.definitions.find(list.listId, list.name)?.id !== id) this.#end()
  }

  /** Does a step of the build of a long list. @returns whether it changed the file */
  *#continue(build: IndexBuild): Generator<void, boolean> {
    const { listId, name } = build.list
    const definition = this.#tables.definitions.find(listId, name)
    if (definition?.id !== build.id) return false
    if (build.failure !== undefined) {
      this.#options.onFailed(build.failure)
      this.#requests.refuse(definition, build.failure)
      this.#end()
      this.#drop(definition)
      return true
    }
    yield* build.step(definition)
    this.#enforceCapacity(definition)
    // No query uses the entries before the last step: they need no sync of their own.
    return build.isComplete
  }

  /** Drops an index that exceeds the capacity, unless it is declared. */
  #enforceCapacity(definition: IndexDefinition): void {
    const capacity = this.#capacity
    if (capacity === undefined || capacity.evictFor(definition, (other) => this.#requests.has(other))) return
    if (capacity.isTooLarge(definition)) {
      if (this.#tooLarge.size >= MAX_TOO_LARGE) this.#tooLarge.clear()
      this.#tooLarge.add(indexOf(definition))
    }
    this.#drop(definition)
    if (definition.id === this.#build?.id) this.#end()
    this.#requests.refuse(definition, noCapacityError())
  }

  #drop(definition: IndexDefinition): void {
    this.#tables.definitions.drop(definition)
    this.#tables.entries.expectRemoval()
  }

  /** The requests that this transaction answers. */
  #answered(): Settlement[] {
    return this.#requests.answer(({ listId, name }) => {
      const definition = this.#tables.definitions.find(listId, name)
      return definition === undefined || definition.builtTo === null
    })
  }
}
