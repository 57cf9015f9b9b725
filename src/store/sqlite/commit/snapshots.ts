import { type Connection, connectReader } from '../file/connection.ts'
import { ChangeLogReader } from '../log/change-log.ts'
import { QueryReader } from '../query/query-reader.ts'
import { ExportReader } from '../tree/export.ts'
import { InteriorCache } from '../tree/interior-cache.ts'
import { TreeReader } from '../tree/tree-reader.ts'

/** Connections kept for later snapshots. Two alternate; a long read needs one more now and then. */
const MAX_IDLE = 2

/** One reading connection, everything prepared on it, and the commit that it shows. */
class Reader {
  readonly connection: Connection
  readonly tree: TreeReader
  readonly queries: QueryReader
  readonly log: ChangeLogReader
  readonly exports: ExportReader
  seq = 0
  holders = 0
  readonly #interiors = new InteriorCache()
  readonly #begin
  readonly #end

  constructor(file: string, shortList: number) {
    this.connection = connectReader(file)
    this.#begin = this.connection.client.prepare('BEGIN')
    this.#end = this.connection.client.prepare('COMMIT')
    this.tree = new TreeReader(this.connection, this.#interiors)
    this.queries = new QueryReader(this.connection, this.tree, shortList)
    this.log = new ChangeLogReader(this.connection)
    this.exports = new ExportReader(this.connection, this.tree)
  }

  /** Opens a transaction on the last commit. */
  begin(seq: number): void {
    this.#begin.run()
    this.tree.touch()
    this.seq = seq
    this.holders = 1
  }

  end(): void {
    this.#interiors.clear()
    this.#end.run()
  }

  close(): void {
    this.connection.client.close()
  }
}

/**
 * One commit of the tree, open for reading; `seq` is the number of the last commit that it shows. Retain it to use it
 * across turns of the event loop.
 */
export type Snapshot = Readonly<Pick<Reader, 'connection' | 'tree' | 'queries' | 'log' | 'exports' | 'seq'>>

/**
 * Read transactions on a small pool of connections. When a sync starts, a snapshot of exactly what it covers is opened;
 * when the sync has returned, that snapshot is published as the current one. So reads never see a commit that is not
 * durable, and all reads in between share one open transaction, which makes them fast.
 */
export class Snapshots {
  readonly #file: string
  readonly #shortList: number
  readonly #idle: Reader[] = []
  /** All readers, idle or not. */
  readonly #readers = new Set<Reader>()
  #current: Reader | undefined

  /** @param shortList children up to which a list is sorted in memory */
  constructor(file: string, shortList: number) {
    this.#file = file
    this.#shortList = shortList
  }

  /** Snapshot of the last durable commit; `undefined` while a checkpoint runs. */
  get current(): Snapshot | undefined {
    return this.#current
  }

  /** Opens a snapshot of everything committed so far. */
  open(seq: number): Snapshot {
    const reader = this.#idle.pop() ?? this.#openReader()
    reader.begin(seq)
    return reader
  }

  /** Makes a snapshot the current one, and releases the previous one. */
  publish(snapshot: Snapshot): void {
    this.releaseCurrent()
    this.#current = snapshot as Reader
  }

  releaseCurrent(): void {
    const old = this.#current
    this.#current = undefined
    if (old !== undefined) this.release(old)
  }

  retain(snapshot: Snapshot): void {
    ;(snapshot as Reader).holders++
  }

  release(snapshot: Snapshot): void {
    const reader = snapshot as Reader
    if (--reader.holders > 0) return
    try {
      reader.end()
    } catch {
      // The file is damaged. The read that found out has already got this error.
      this.#close(reader)
      return
    }
    if (this.#idle.length < MAX_IDLE) this.#idle.push(reader)
    else this.#close(reader)
  }

  /** Closes every connection. No snapshot may be retained any more. */
  close(): void {
    this.releaseCurrent()
    for (const reader of this.#idle.splice(0)) this.#close(reader)
  }

  /** Closes every connection, also those of retained snapshots, whose reads fail. */
  closeAll(): void {
    this.#current = undefined
    this.#idle.length = 0
    for (const reader of this.#readers) this.#close(reader)
  }

  #openReader(): Reader {
    const reader = new Reader(this.#file, this.#shortList)
    this.#readers.add(reader)
    return reader
  }

  #close(reader: Reader): void {
    this.#readers.delete(reader)
    reader.close()
  }
}
