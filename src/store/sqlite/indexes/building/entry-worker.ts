/** Reads and sorts the entries of a list on a thread of its own, on a snapshot, and hands them out in batches. */
import { connectReader } from '../../file/connection.ts'
import { TreeReader } from '../../tree/tree-reader.ts'
import { columnsOf, type EntryBatch, entryPages, type IndexedList, type StoredEntry } from './child-entries.ts'
import { EntrySorter } from './entry-sorter.ts'

declare const self: Worker

export interface SortRequest extends IndexedList {
  readonly file: string
  /** A number that is not 0 once the entries are not wanted any more. */
  readonly stopped: Int32Array
}

/** Asks for another batch, or to end. */
export type BatchRequest = 'more' | 'stop'

export type SortReply =
  /** The snapshot shows all commits up to this number. */
  | { readonly pinned: number }
  | EntryBatch
  | { readonly problem: string }
  /** Everything is closed. */
  | 'ended'

let sorter: EntrySorter | undefined
let pages: Iterator<readonly StoredEntry[], void> | undefined
let covering = false
let facts = { hasCut: false, rows: 0 }

self.onmessage = ({ data }: MessageEvent<SortRequest | BatchRequest>) => {
  // Must not throw: an error would end the worker, and the index would wait for ever.
  try {
    if (data === 'stop') end()
    else if (data === 'more') replyBatch()
    else if (sort(data)) replyBatch()
    else end()
  } catch (error) {
    reply({ problem: error instanceof Error ? error.message : String(error) })
  }
}

function reply(message: SortReply): void {
  self.postMessage(message)
}

function end(): void {
  try {
    sorter?.close()
  } finally {
    sorter = undefined
    reply('ended')
  }
}

/** @returns `false` when the entries are not wanted any more */
function sort({ file, stopped, ...list }: SortRequest): boolean {
  const connection = connectReader(file)
  try {
    connection.client.run('BEGIN')
    const { seq } = connection.client
      .prepare<{ seq: number | null }, []>('SELECT max(seq) AS seq FROM change')
      .get() ?? {
      seq: null,
    }
    reply({ pinned: seq ?? 0 })
    sorter = new EntrySorter(file)
    covering = list.covering
    for (const page of entryPages(connection, new TreeReader(connection), list)) {
      if (Atomics.load(stopped, 0) !== 0) return false
      sorter.add(page.entries)
      facts = { hasCut: facts.hasCut || page.hasCut, rows: facts.rows + page.rows }
    }
  } finally {
    // The snapshot keeps the log from starting over.
    connection.client.close()
  }
  pages = sorter.pages()
  return true
}

/** After the last batch there are none. */
function replyBatch(): void {
  if (pages === undefined) return
  const page = pages.next()
  if (page.done) pages = undefined
  reply({ columns: page.done ? [] : columnsOf(page.value, covering), isLast: page.done === true, ...facts })
}
