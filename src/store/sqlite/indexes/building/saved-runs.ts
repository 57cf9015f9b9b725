import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import type { StoredEntry } from './child-entries.ts'

/** Where a page of a run is in the file. */
interface Place {
  readonly at: number
  readonly length: number
}

type Page = readonly StoredEntry[]

/** Sorted runs in a temporary file beside the tree: the one folder that surely can be written. */
export class SavedRuns {
  readonly #file: number
  readonly #runs: Place[][] = []
  #end = 0

  /** @param tree file of the tree */
  constructor(tree: string) {
    const path = `${tree}-sort-${crypto.randomUUID()}`
    this.#file = openSync(path, 'wx+', 0o600)
    // Without a name nothing is left of it after a crash.
    unlinkSync(path)
  }

  add(run: Iterable<Page>): void {
    const places: Place[] = []
    for (const page of run) {
      const bytes = Buffer.from(JSON.stringify(page))
      places.push({ at: this.#end, length: bytes.length })
      for (let written = 0; written < bytes.length; ) {
        written += writeSync(this.#file, bytes, written, bytes.length - written, this.#end + written)
      }
      this.#end += bytes.length
    }
    this.#runs.push(places)
  }

  runs(): Generator<Page, void>[] {
    return this.#runs.map((places) => this.#pages(places))
  }

  *#pages(places: readonly Place[]): Generator<Page, void> {
    for (const { at, length } of places) {
      const bytes = Buffer.alloc(length)
      for (let read = 0; read < length; ) {
        const more = readSync(this.#file, bytes, read, length - read, at + read)
        if (more === 0) throw new Error('the temporary file is shorter than what was written to it')
        read += more
      }
      yield JSON.parse(bytes.toString()) as Page
    }
  }

  close(): void {
    closeSync(this.#file)
  }
}
