import { type Connection, connectReader } from '../file/connection.ts'
import { ChangeLogReader } from '../log/change-log.ts'
import { QueryReader } from '../query/query-reader.ts'
import { ExportReader } from '../tree/export.ts'
import { InteriorCache } from '../tree/interior-cache.ts'
import { TreeReader } from '../tree/tree-reader.ts'

/** Connections kept for the next snapshots: two take turns, and a long read now and then needs one more. */
const MOST_IDLE = 2

/** One reading connection and everything prepared on it. */
class Reader {
  readonly connection: Connection
  readonly tree: TreeReader
  readonly queries: QueryReader
  readonly log: ChangeLogReader
  readonly exports: ExportReader
  readonly #met = new InteriorCache()
  readonly #begin
  readonly #end

  constructor(file: string, shortList: number) {
    this.connection = connectReader(file)
    this.#begin = this.connection.client.prepare('BEGIN')
    this.#end = this.connection.client.prepare('COMMIT')
    this.tree = new TreeReader(this.connection, this.#met)
    this.queries = new QueryReader(this.connection, this.tree, shortList)
    this.log = new ChangeLogReader(this.connection)
    this.exports = new ExportReader(this.connection, this.tree)
  }

  /** Opens a transaction on the last commit. */
  begin(): void {
    this.#begin.run()
    this.tree.touch()
  }

  end(): void {
    this.#met.clear()
    this.#end.run()
  }

  close(): void {
    this.connection.client.close()
  }
}

/** One commit of the tree, held open for reading. Whoever keeps it across turns of the event loop retains it. */
export interface Snapshot {
  readonly connection: Connection
  readonly tree: TreeReader
  readonly queries: QueryReader
  readonly log: ChangeLogReader
  readonly exports: ExportReader
  /** Number of the last commit it shows. */
  readonly seq: number
}

interface HeldSnapshot extends Snapshot {
  readonly reader: Reader
  holders: number
}

/**
 * Read transactions on a small pool of connections. When a sync starts, a snapshot of exactly what it covers is
 * pinned; when the sync has returned, that snapshot becomes the current one. So nothing that is not durable is seen,
 * and all reads in between share one open transaction, which is also what makes them fast.
 */
export class Snapshots {
  readonly #file: string
  readonly #shortList: number
  readonly #idle: Reader[] = []
  /** All there are, idle or not. */
  readonly #readers = new Set<Reader>()
  #current: HeldSnapshot | undefined

  /** @param shortList children up to which a list is sorted in memory */
  constructor(file: string, shortList: number) {
    this.#file = file
    this.#shortList = shortList
  }

  /** The latest durable commit, if one is pinned. */
  get current(): Snapshot | undefined {
    return this.#current
  }

  /** Opens a snapshot of everything committed so far. */
  pin(seq: number): Snapshot {
    const reader = this.#idle.pop() ?? this.#open()
    reader.begin()
    const { connection, tree, queries, log, exports } = reader
    const snapshot: HeldSnapshot = { reader, connection, tree, queries, log, exports, seq, holders: 1 }
    return snapshot
  }

  /** Makes a pinned snapshot the current one and lets go of the one before. */
  promote(snapshot: Snapshot): void {
    this.drop()
    this.#current = snapshot as HeldSnapshot
  }

  /** Lets go of the current snapshot. */
  drop(): void {
    const old = this.#current
    this.#current = undefined
    if (old !== undefined) this.release(old)
  }

  retain(snapshot: Snapshot): void {
    ;(snapshot as HeldSnapshot).holders++
  }

  release(snapshot: Snapshot): void {
    const held = snapshot as HeldSnapshot
    if (--held.holders > 0) return
    try {
      held.reader.end()
    } catch {
      // It has met damage, and says so again at its end, when whoever has read there has heard of it.
      this.#close(held.reader)
      return
    }
    if (this.#idle.length < MOST_IDLE) this.#idle.push(held.reader)
    else this.#close(held.reader)
  }

  /** Closes every connection. Nobody may hold a snapshot any more. */
  close(): void {
    this.drop()
    for (const reader of this.#idle.splice(0)) this.#close(reader)
  }

  /** Closes every connection, also those of snapshots that are held: what is read there fails. */
  cut(): void {
    this.#current = undefined
    this.#idle.length = 0
    for (const reader of this.#readers) this.#close(reader)
  }

  #open(): Reader {
    const reader = new Reader(this.#file, this.#shortList)
    this.#readers.add(reader)
    return reader
  }

  #close(reader: Reader): void {
    this.#readers.delete(reader)
    reader.close()
  }
}
