import type { StoredEntry } from './child-entries.ts'
import { mergeSorted } from './merge.ts'
import { SavedRuns } from './saved-runs.ts'

/** Entries sorted in memory. More are sorted in runs of this length, which a temporary file keeps. */
const RUN_ENTRIES = 131_072
/** Texts of a run, in UTF-16 code units. */
const RUN_TEXT = 16 * 1024 * 1024
/** Entries of a run in memory while the runs are merged, and in one page that leaves the sorter. */
const PAGE_ENTRIES = 1024

/** Sorts entries by kind, value and key, the order of their table. It keeps at most one run in memory. */
export class EntrySorter {
  readonly #file: string
  readonly #runLength: number
  #entries: StoredEntry[] = []
  #text = 0
  #saved: SavedRuns | undefined

  /**
   * @param file of the tree, beside which a temporary file is made
   * @param runLength entries sorted in memory
   */
  constructor(file: string, runLength = RUN_ENTRIES) {
    this.#file = file
    this.#runLength = runLength
  }

  add(entries: readonly StoredEntry[]): void {
    for (const entry of entries) {
      this.#entries.push(entry)
      if (typeof entry.value === 'string') this.#text += entry.value.length
      this.#text += entry.text?.length ?? 0
    }
    if (this.#entries.length < this.#runLength && this.#text < RUN_TEXT) return
    this.#saved ??= new SavedRuns(this.#file)
    this.#saved.add(pagesOf(this.#entries.sort(compareEntries)))
    this.#entries = []
    this.#text = 0
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
