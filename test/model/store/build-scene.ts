import { expect } from 'bun:test'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentObserver } from '../../../src/observer.ts'
import { makeQuery, type QuerySpec } from '../../../src/query/query.ts'
import { drain } from '../../../src/scheduling/steps.ts'
import { TransactionRunner } from '../../../src/store/sqlite/commit/transaction.ts'
import { transactionParts } from '../../../src/store/sqlite/commit/transaction-parts.ts'
import { connectReader } from '../../../src/store/sqlite/file/connection.ts'
import { openFile } from '../../../src/store/sqlite/file/open.ts'
import {
  columnsOf,
  type EntryBatch,
  entryPages,
  type IndexedList,
} from '../../../src/store/sqlite/indexes/building/child-entries.ts'
import { EntrySorter } from '../../../src/store/sqlite/indexes/building/entry-sorter.ts'
import type { EntryReceiver, OpenEntrySource } from '../../../src/store/sqlite/indexes/building/entry-source.ts'
import { columnsPerEntry } from '../../../src/store/sqlite/indexes/entries.ts'
import type { UsableAccessPath } from '../../../src/store/sqlite/query/access-path.ts'
import { QueryReader } from '../../../src/store/sqlite/query/query-reader.ts'
import { defaultStorage } from '../../../src/store/sqlite/sqlite-options.ts'
import type { Staging } from '../../../src/store/sqlite/staging/staging.ts'
import type { RowLengths } from '../../../src/store/sqlite/tree/branch-writer.ts'
import { TreeReader } from '../../../src/store/sqlite/tree/tree-reader.ts'
import type { Job } from '../../../src/store/store.ts'
import { sortKey } from '../../../src/tree/order.ts'
import { putJob } from '../../support/store.ts'
import { indexProblems } from '../../unit/store/index-integrity.ts'

const ROOT = 0
/** Entries in a batch, in a step and in a sorted run: small, so that a short list takes many of each. */
const BATCH = 3
const STEP = 1
const RUN = 7
const NO_LIMIT = Number.POSITIVE_INFINITY
/** Steps that complete every build of a plan. */
const ENOUGH = 2000

const QUERIES: readonly Omit<QuerySpec, 'orderBy'>[] = [
  {},
  { limitToFirst: 5 },
  { limitToLast: 7 },
  { equalTo: null },
  { startAfter: [null, 'k03'], limitToFirst: 4 },
  { startAt: 2, endAt: 'b' },
]

interface Sorted {
  readonly list: IndexedList
  readonly receiver: EntryReceiver
  batches?: EntryBatch[]
}

/** A tree whose transactions, and the work that sorts the entries of an index, run when the test says so. */
export class BuildScene implements Disposable {
  readonly #path = join(tmpdir(), `build-${crypto.randomUUID()}`)
  readonly #opened = openFile(this.#path, () => {})
  readonly #parts
  readonly #runner: TransactionRunner
  #sorted: Sorted | undefined
  #listId = 0
  #isFailing = false
  #isCovering

  /**
   * @param beginsLate whether the sorting begins when the list is read, not with the build
   * @param isCovering whether the index is declared as covering
   */
  constructor(lengths: Partial<RowLengths>, beginsLate = false, isCovering = false) {
    this.#isCovering = isCovering
    const openSource: OpenEntrySource = (_, list, receiver) => {
      const sorted: Sorted = { list, receiver }
      this.#sorted = sorted
      return {
        get hasBegun() {
          return !beginsLate || sorted.batches !== undefined
        },
        more: () => {},
        stop: async () => {
          if (this.#sorted === sorted) this.#sorted = undefined
        },
      }
    }
    const build = { openSource, shortBuild: 0, stepEntries: STEP }
    const { writer } = this.#opened
    this.#parts = transactionParts(writer, { ...defaultStorage, ...lengths, build }, silentObserver)
    this.#parts.indexes.limit({
      maxPerList: NO_LIMIT,
      maxEntries: NO_LIMIT,
      isKept: () => true,
      isCovering: () => this.#isCovering,
      usedAt: () => 0,
    })
    this.#runner = new TransactionRunner(writer, { ...this.#parts, staging: this.#staging() })
  }

  /** Fills the list, and asks for its index. Resolves or rejects as the request does, once `run` was called. */
  begin(children: unknown, name: string): Promise<void> {
    this.run([putJob('/list', children)])
    const root = this.#parts.reader.slot(ROOT, '')?.id ?? 0
    this.#listId = this.#parts.reader.slot(root, sortKey('list'))?.id ?? 0
    return this.ask(name)
  }

  /** Asks for the index again. */
  ask(name: string): Promise<void> {
    return this.#parts.indexes.builder.request(this.#listId, name, true)
  }

  /** Drops the indexes of the list, as others do that need their place. */
  dropIndexes(): void {
    const { definitions, entries } = this.#parts.indexes
    for (const definition of definitions.of(this.#listId)) definitions.drop(definition)
    entries.expectRemoval()
  }

  /** Declares the index anew. One that was not covering is built again; one that need not be is not covering any more. */
  declare(name: string, isCovering: boolean): void {
    this.#isCovering = isCovering
    this.#parts.indexes.builder.request(this.#listId, name, true).catch(() => {})
    this.#parts.indexes.age({
      used: new Map(),
      idleMs: Number.MAX_SAFE_INTEGER,
      isKept: () => true,
      coveringAfter: 0,
      isCovering: () => isCovering,
    })
  }

  /** The staging of the tree, which fails a transaction after its step of the build when it has to. */
  #staging(): Staging {
    const fail = () => {
      throw new Error('broken transaction')
    }
    const failing: Record<string | symbol, unknown> = { isDue: true, step: fail }
    return new Proxy(this.#parts.staging, {
      get: (staging, name) => {
        if (this.#isFailing && name in failing) return failing[name]
        const value: unknown = Reflect.get(staging, name, staging)
        return typeof value === 'function' ? value.bind(staging) : value
      },
    })
  }

  /** One transaction with jobs, and a step of the build, which is rolled back. Nothing of it is tried again. */
  runInVain(jobs: readonly Job[]): void {
    this.#isFailing = true
    this.run(jobs, false)
    this.#isFailing = false
  }

  /** One transaction with jobs, and a step of the build. If one fails, those before and after it are done one by one. */
  run(jobs: readonly Job[], isTriedAgain = true): void {
    const queued = jobs.map((job) => ({ job, resolve: () => {}, reject: () => {} }))
    try {
      drain(this.#runner.run(queued))
    } catch {
      if (jobs.length > 1 && isTriedAgain) for (const job of jobs) this.run([job])
    }
  }

  /** Reads the entries of the list as the last commit has it. @param notify whether the build learns it at once */
  read(notify = true): void {
    const sorted = this.#sorted
    if (sorted === undefined || sorted.batches !== undefined) return
    const connection = connectReader(this.#path)
    const { seq } =
      connection.client.query<{ seq: number | null }, []>('SELECT max(seq) AS seq FROM change').get() ?? {}
    const sorter = new EntrySorter(this.#path, RUN)
    let [hasCut, rows] = [false, 0]
    for (const page of entryPages(connection, new TreeReader(connection), sorted.list)) {
      sorter.add(page.entries)
      hasCut ||= page.hasCut
      rows += page.rows
    }
    const columns = [...sorter.pages()].flatMap((page) => columnsOf(page, sorted.list.covering))
    sorter.close()
    connection.client.close()
    const batches: EntryBatch[] = []
    const length = BATCH * columnsPerEntry(sorted.list)
    for (let from = 0; from < columns.length; from += length) {
      batches.push({ columns: columns.slice(from, from + length), isLast: false, hasCut, rows })
    }
    sorted.batches = [...batches, { columns: [], isLast: true, hasCut, rows }]
    this.#pinned = () => sorted.receiver.pinned(seq ?? 0)
    if (notify) this.#tell()
  }

  #pinned: (() => void) | undefined

  #tell(): void {
    this.#pinned?.()
    this.#pinned = undefined
  }

  /** Hands the next sorted entries to the build. */
  deliver(): void {
    const batch = this.#sorted?.batches?.shift()
    if (batch === undefined) return
    this.#tell()
    this.#sorted?.receiver.received(batch)
  }

  /** The entries cannot be sorted. */
  fail(error: Error): void {
    this.#sorted?.receiver.failed(error)
  }

  /** Whether entries are being sorted for a build. */
  get isSorting(): boolean {
    return this.#sorted !== undefined
  }

  /** Number of stored entries. */
  get entries(): number {
    const { client } = this.#opened.writer
    return client.query<{ rows: number }, []>('SELECT count(*) AS rows FROM index_entry').get()?.rows ?? 0
  }

  /** Has all sorted entries inserted. */
  insertAll(): void {
    this.read()
    while ((this.#sorted?.batches?.length ?? 0) > 0) {
      this.deliver()
      for (let inserted = 0; inserted < BATCH; inserted += STEP) this.run([])
    }
  }

  get hasIndex(): boolean {
    return this.#parts.indexes.definitions.of(this.#listId).some(({ builtTo }) => builtTo === null)
  }

  get hasList(): boolean {
    return this.#parts.indexes.definitions.of(this.#listId).length > 0
  }

  /** Lets the build end. */
  finish(): void {
    for (let step = 0; step < ENOUGH && this.hasList && !this.hasIndex; step++) {
      this.run([])
      this.read()
      this.deliver()
    }
  }

  /** Expects the entries that the list must have, and answers that are the same with and without them. */
  expectRight(orderBy: string): void {
    const { writer } = this.#opened
    expect(indexProblems(writer.client)).toEqual([])
    if (!this.hasList) return
    expect(this.hasIndex).toBe(true)
    const reader = new QueryReader(writer, this.#parts.reader, 0)
    for (const spec of QUERIES) {
      const query = makeQuery({ ...spec, orderBy }, 'firebase')
      const access = reader.accessPaths.find({ path: ['list'], query })
      if (access.kind !== 'index') throw new Error(`an access path of kind ${access.kind}`)
      const answer = (path: UsableAccessPath) => drain(reader.answer(path, query, NO_LIMIT))?.export
      expect(answer(access)).toEqual(answer({ kind: 'scan', list: access.list }))
    }
  }

  [Symbol.dispose](): void {
    this.#opened.writer.client.close()
    this.#opened.unlock()
    for (const end of ['', '-wal', '-shm', '-lock']) rmSync(this.#path + end, { force: true })
  }
}
