import { Client } from '../../file/client.ts'
import type { StoredEntry } from './child-entries.ts'
import { mergeSorted } from './merge.ts'

/** Entries sorted in memory. More are sorted in runs of this length, which a temporary file keeps. */
const RUN_ENTRIES = 131_072
/** Entries of a run in memory while the runs are merged, and in one page that leaves the sorter. */
const PAGE_ENTRIES = 1024

/** Sorts entries by kind, value and key, the order of their table. It keeps at most one run in memory. */
export class EntrySorter {
  readonly #runLength: number
  #entries: StoredEntry[] = []
  #saved: SavedRuns | undefined

  /** @param runLength entries sorted in memory */
  constructor(runLength = RUN_ENTRIES) {
    this.#runLength = runLength
  }

  add(entries: readonly StoredEntry[]): void {
    for (const entry of entries) this.#entries.push(entry)
    if (this.#entries.length < this.#runLength) return
    this.#saved ??= new SavedRuns()
    this.#saved.add(this.#entries.sort(compareEntries))
    this.#entries = []
  }

  /** All entries, in pages. Add none after the call. */
  *pages(): Generator<readonly StoredEntry[], void> {
    const last = this.#entries.sort(compareEntries)
    if (this.#saved === undefined) yield* pagesOf(last)
    else yield* mergeSorted([...this.#saved.runs(), pagesOf(last)], compareEntries, PAGE_ENTRIES)
  }

  /** Removes the temporary file. */
  close(): void {
    this.#saved?.close()
  }
}

/** Sorted runs in a database without a name: SQLite removes its file by itself, also after a crash. */
class SavedRuns {
  readonly #client = new Client('')
  readonly #insert
  readonly #page
  #count = 0

  constructor() {
    this.#client.run(
      'CREATE TABLE page(run INTEGER, number INTEGER, text TEXT, PRIMARY KEY(run, number)) WITHOUT ROWID',
    )
    this.#insert = this.#client.prepare<unknown, [number, number, string]>('INSERT INTO page VALUES (?, ?, ?)')
    this.#page = this.#client.prepare<{ text: string }, [number, number]>(
      'SELECT text FROM page WHERE run = ? AND number = ?',
    )
  }

  add(sorted: readonly StoredEntry[]): void {
    const run = this.#count++
    this.#client.transaction(() => {
      let number = 0
      for (const page of pagesOf(sorted)) this.#insert.run(run, number++, JSON.stringify(page))
    })()
  }

  runs(): Generator<readonly StoredEntry[], void>[] {
    return Array.from({ length: this.#count }, (_, run) => this.#pages(run))
  }

  *#pages(run: number): Generator<readonly StoredEntry[], void> {
    for (let number = 0; ; number++) {
      const row = this.#page.get(run, number)
      if (row === null) return
      yield JSON.parse(row.text) as readonly StoredEntry[]
    }
  }

  close(): void {
    this.#client.close()
  }
}

function* pagesOf(entries: readonly StoredEntry[]): Generator<readonly StoredEntry[], void> {
  for (let from = 0; from < entries.length; from += PAGE_ENTRIES) yield entries.slice(from, from + PAGE_ENTRIES)
}

/** The order of the table. Texts are encoded so that their code units sort as their bytes do. */
function compareEntries(left: StoredEntry, right: StoredEntry): number {
  if (left.kind !== right.kind) return left.kind - right.kind
  if (left.value < right.value) return -1
  if (left.value > right.value) return 1
  return left.key < right.key ? -1 : 1
}
