import { DholeError } from '../../tree/error.ts'
import { FIRST_TEXT_KEY } from '../../tree/order.ts'
import type { Connection } from './connection.ts'
import type { Definition, IndexDefinitions } from './index-definitions.ts'
import { type IndexEntries, keyEntry } from './index-entries.ts'
import type { TreeReader } from './read.ts'
import { isChild, LAST_KEY, NOWHERE } from './slot.ts'
import type { ChildRow } from './walk.ts'

/**
 * Children looked at in one transaction. Their entries are scattered over the index, so each may dirty a page of its own:
 * few in a transaction write the same pages again and again, many make it long.
 */
const STEP_CHILDREN = 4096
/** Children looked at between two pauses. */
const PAGE_CHILDREN = 128

/** Somebody who waits for an index. */
interface Request {
  readonly listId: number
  readonly name: string
  readonly most: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  /** Whether the index is there, in a transaction that may not be durable yet. */
  isAnswered: boolean
}

/** What is told of the building. A step that is taken back afterwards has been told of. */
export interface BuildEvents {
  onBegun(): void
  /** @param rows children that were looked at by this process */
  onBuilt(rows: number, milliseconds: number): void
}

/** How far an index has come in this process. */
interface Progress {
  readonly startedAt: number
  rows: number
}

/** Someone to be told when the transaction is durable. */
export interface BuildNews {
  tell(): void
  abandon(error: unknown): void
}

/**
 * Builds indexes a bounded number of children at a time, each step in a transaction among all others, so that reads and
 * writes go on. Writes keep the entries of the part that is built. What is half built goes on after a restart.
 */
export class IndexBuilder {
  readonly #client
  readonly #definitions: IndexDefinitions
  readonly #entries: IndexEntries
  readonly #reader: TreeReader
  readonly #children
  readonly #parent
  readonly #events: BuildEvents
  /** Of indexes that are not complete, by id; forgotten when there are none. */
  readonly #progress = new Map<number, Progress>()
  #requests: Request[] = []
  /** Spares every batch a look at definitions that are nearly always complete. */
  #mayBeUnfinished = true

  constructor(
    { client }: Connection,
    definitions: IndexDefinitions,
    entries: IndexEntries,
    reader: TreeReader,
    events: BuildEvents,
  ) {
    this.#client = client
    this.#definitions = definitions
    this.#entries = entries
    this.#reader = reader
    this.#events = events
    // Raw, because this is the row loop of building.
    this.#children = client.prepare<ChildRow, [number, string, string, number]>(
      'SELECT key, value, id FROM node WHERE parent_id = ? AND key > ? AND key < ? ORDER BY key LIMIT +?',
    )
    this.#parent = client.prepare<{ parent_id: number }, [number]>('SELECT parent_id FROM interior WHERE id = ?')
  }

  /** Whether there may be something to do. */
  get isDue(): boolean {
    return this.#mayBeUnfinished || this.#requests.some(({ isAnswered }) => !isAnswered)
  }

  /**
   * Resolves when a durable commit has the index, or the list is gone. Wake the pipeline after it.
   * @param most a list that has so many indexes gets no other one: then it rejects
   */
  request(listId: number, name: string, most: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#requests.push({ listId, name, most, resolve, reject, isAnswered: false })
    })
  }

  /** Indexes were defined that are still to be built. */
  expectWork(): void {
    this.#mayBeUnfinished = true
  }

  /** The transaction was taken back. */
  forget(): void {
    this.#mayBeUnfinished = true
    for (const request of this.#requests) request.isAnswered = false
  }

  /** Those who wait need not any longer: it will not be. */
  abandon(error: unknown): void {
    for (const { reject } of this.#requests.splice(0)) reject(error)
  }

  /**
   * Does one step inside the open transaction. A failure takes back the step alone, and tells those who wait.
   * @returns whether anything changed, and who is to hear of it
   */
  *step(now: number): Generator<void, { changed: boolean; news: BuildNews[] }> {
    this.#client.run('SAVEPOINT build')
    try {
      this.#defineRequested(now)
      const definition = this.#next()
      if (definition === undefined) {
        this.#mayBeUnfinished = false
        this.#progress.clear()
      } else yield* this.#build(definition)
      this.#client.run('RELEASE build')
      return { changed: definition !== undefined, news: this.#answered() }
    } catch (error) {
      // When SQLite has ended the transaction by itself, there is nothing to go back to.
      if (!this.#client.inTransaction) throw error
      this.#client.run('ROLLBACK TO build')
      this.#client.run('RELEASE build')
      this.#definitions.forget()
      this.#mayBeUnfinished = false
      this.abandon(error)
      return { changed: false, news: [] }
    }
  }

  #defineRequested(now: number): void {
    for (const request of this.#requests) {
      const { listId, name, most } = request
      if (this.#definitions.find(listId, name) !== undefined || !this.#isThere(listId)) continue
      if (this.#definitions.of(listId).length < most) this.#definitions.define(listId, name, now)
      else this.#take(request).reject(new DholeError('unavailable', 'the list has too many indexes'))
    }
  }

  #isThere(listId: number): boolean {
    const parent = this.#parent.get(listId)?.parent_id
    return parent !== undefined && parent !== NOWHERE
  }

  /** First those that somebody waits for. */
  #next(): Definition | undefined {
    for (const { listId, name } of this.#requests) {
      const definition = this.#definitions.find(listId, name)
      if (definition !== undefined && definition.builtTo !== null) return definition
    }
    return this.#definitions.unfinished()
  }

  *#build(definition: Definition): Generator<void> {
    const { listId, path } = definition
    const progress = this.#progressOf(definition)
    const end = path === undefined ? FIRST_TEXT_KEY : LAST_KEY
    let builtTo = definition.builtTo ?? ''
    for (let looked = 0; looked < STEP_CHILDREN; looked += PAGE_CHILDREN) {
      const page = this.#children.all(listId, builtTo, end, PAGE_CHILDREN)
      for (const row of page) this.#add(definition, row)
      builtTo = page.at(-1)?.key ?? builtTo
      progress.rows += page.length
      if (page.length < PAGE_CHILDREN) {
        this.#definitions.progress(definition, null)
        this.#progress.delete(definition.id)
        this.#events.onBuilt(progress.rows, performance.now() - progress.startedAt)
        return
      }
      yield
    }
    this.#definitions.progress(definition, builtTo)
  }

  #progressOf({ id }: Definition): Progress {
    let progress = this.#progress.get(id)
    if (progress === undefined) {
      progress = { startedAt: performance.now(), rows: 0 }
      this.#progress.set(id, progress)
      this.#events.onBegun()
    }
    return progress
  }

  #add(definition: Definition, row: ChildRow): void {
    const { path } = definition
    if (!isChild(row.key)) return
    const value = path === undefined ? keyEntry(row.key) : this.#reader.sortValueBelow(row, path)
    if (value !== undefined) this.#entries.insert(definition, value, row.key)
  }

  /** The requests that need not wait any longer than for this transaction. */
  #answered(): BuildNews[] {
    const waiting = this.#requests.filter(({ isAnswered }) => !isAnswered)
    const answered = waiting.filter(({ listId, name }) => {
      const definition = this.#definitions.find(listId, name)
      return definition === undefined || definition.builtTo === null
    })
    return answered.map((request) => {
      request.isAnswered = true
      return { tell: () => this.#take(request).resolve(), abandon: (error) => this.#take(request).reject(error) }
    })
  }

  #take(request: Request): Request {
    this.#requests = this.#requests.filter((other) => other !== request)
    return request
  }
}
