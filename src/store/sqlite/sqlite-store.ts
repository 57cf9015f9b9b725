import pLimit from 'p-limit'
import type { Observer } from '../../observer.ts'
import type { Awaitable } from '../../tree/awaitable.ts'
import { DholeError } from '../../tree/error.ts'
import type { NodeText } from '../../tree/node-text.ts'
import { formatPath, type Path } from '../../tree/path.ts'
import type { JsonText } from '../../tree/print.ts'
import type { Commit, Job, LoggedChange, Position, ReadLimit, TreeStore } from '../store.ts'
import { BatchRunner } from './batch.ts'
import { ChangeLog, defaultRetention, type LogRetention } from './change-log.ts'
import { Checkpoint } from './checkpoint.ts'
import { DurabilityPipeline } from './durability.ts'
import { LogFile, type SyncLog } from './log-file.ts'
import { type OpenFile, openFile } from './open.ts'
import { TreeReader } from './read.ts'
import { type Snapshot, Snapshots } from './snapshots.ts'
import { runBriefly, runInTurns } from './steps.ts'
import { Sweep } from './sweep.ts'
import { TextCache } from './text-cache.ts'
import { TreeWriter } from './write.ts'

/** Settings of the SQLite engine; all have defaults. */
export interface SqliteOptions extends Partial<LogRetention> {
  /** Longest text of a subtree kept as one row, in UTF-16 code units. Default 4096; 0 makes every object interior. */
  readonly inlineLength?: number
  /** Length of the write-ahead log at which writes pause until it has been folded in, in bytes. Default 64 MiB. */
  readonly walLimitBytes?: number
  /** Finished text kept for reading again, in UTF-16 code units. Default 32 Mi. */
  readonly cacheLength?: number
  /** Replaces `fdatasync`, for tests of what is visible before a sync has returned. */
  readonly syncLog?: SyncLog
}

const MEBI = 1024 * 1024
const defaults = {
  inlineLength: 4096,
  walLimitBytes: 64 * MEBI,
  cacheLength: 32 * MEBI,
  ...defaultRetention,
}

/** Reads that take several turns, at once: each holds a snapshot and a growing text. */
const LONG_READS = 4

/**
 * The durable tree in one SQLite file.
 * @see docs/architecture.md#storage
 */
export class SqliteStore implements TreeStore {
  readonly #file: OpenFile
  readonly #epoch: string
  readonly #snapshots: Snapshots
  readonly #checkpoint: Checkpoint
  readonly #pipeline: DurabilityPipeline
  readonly #cache: TextCache
  readonly #longReads = pLimit(LONG_READS)
  #closed: Promise<void> | undefined

  /**
   * Opens or creates a file.
   * @throws when it is in use or is no database of this kind
   */
  constructor(file: string, options: SqliteOptions, observer: Observer) {
    const settings = { ...defaults, ...options }
    this.#file = openFile(file)
    this.#epoch = this.#file.epoch
    const { writer } = this.#file
    const reader = new TreeReader(writer)
    const log = new ChangeLog(writer, settings)
    const sweep = new Sweep(writer)
    const treeWriter = new TreeWriter(writer, reader, sweep, settings.inlineLength)
    const runner = new BatchRunner(writer, reader, treeWriter, log, sweep)
    this.#cache = new TextCache(settings.cacheLength)
    this.#snapshots = new Snapshots(file)
    this.#checkpoint = new Checkpoint(file, writer, settings.walLimitBytes)
    this.#pipeline = new DurabilityPipeline(
      log.lastSeq,
      {
        runner,
        snapshots: this.#snapshots,
        checkpoint: this.#checkpoint,
        logFile: new LogFile(file, settings.walLimitBytes, options.syncLog),
      },
      {
        onDurable: (commits) => this.#forgetChanged(commits),
        onFailed: (error) => observer.storeFailed(file, error),
        onTroubled: (error) => observer.storeTroubled(file, error),
      },
    )
  }

  node(path: Path, limit: ReadLimit): Awaitable<NodeText | undefined> {
    const cached = this.#cache.get(formatPath(path))
    if (cached !== undefined) {
      if (cached.stored.length > limit.maxLength) throw new DholeError('read-too-big')
      return cached
    }
    return this.#read(limit, (snapshot) => this.#readNode(snapshot, path, limit))
  }

  shallow(path: Path, limit: ReadLimit): Awaitable<JsonText | undefined> {
    return this.#read(limit, (snapshot) => snapshot.tree.shallow(path, limit.maxLength))
  }

  count(path: Path): number {
    return this.#current().tree.count(path)
  }

  commit(job: Job): Promise<Commit | undefined> {
    return this.#pipeline.commit(job)
  }

  changesAfter({ epoch, seq }: Position, limit: number): readonly LoggedChange[] | undefined {
    const { log, seq: lastSeq } = this.#current()
    if (epoch !== this.#epoch || seq > lastSeq) return undefined
    return log.after(seq, limit, lastSeq)
  }

  position(): Position {
    return { epoch: this.#epoch, seq: this.#current().seq }
  }

  swept(): Promise<void> {
    return this.#pipeline.idle()
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    await this.#pipeline.close()
    // Long reads see `#closed` at their next step and let go of their snapshots.
    while (this.#longReads.activeCount > 0) await new Promise(setImmediate)
    await this.#checkpoint.close()
    this.#snapshots.close()
    this.#file.writer.client.run('PRAGMA wal_checkpoint(TRUNCATE)')
    this.#file.writer.client.close()
    this.#file.unlock()
  }

  *#readNode(snapshot: Snapshot, path: Path, limit: ReadLimit): Generator<void, NodeText | undefined> {
    const text = yield* snapshot.tree.node(path, limit.maxLength)
    // A long read may end on a commit that is no longer the latest: its text is right, but not worth keeping.
    if (text !== undefined && snapshot.seq === this.#snapshots.current?.seq) this.#cache.set(path, text)
    return text
  }

  #current(): Snapshot {
    if (this.#closed !== undefined) throw new DholeError('unavailable')
    const current = this.#snapshots.current
    if (current !== undefined) return current
    // Readers have let go for a checkpoint: all commits are durable and no new one comes meanwhile.
    const pinned = this.#snapshots.pin(this.#pipeline.lastSeq)
    this.#snapshots.promote(pinned)
    return pinned
  }

  /** Most reads end at once. One that does not gives way to others between its steps, on the snapshot it began with. */
  #read<T>(limit: ReadLimit, start: (snapshot: Snapshot) => Generator<void, T>): Awaitable<T> {
    const snapshot = this.#current()
    const steps = start(snapshot)
    const finished = runBriefly(steps)
    if (finished !== undefined) return finished.value
    if (this.#longReads.activeCount >= LONG_READS) {
      // A queue of half-done reads would hold a snapshot each: this one starts over when its turn comes.
      return this.#longReads(() => this.#readInTurns(limit, this.#current(), start))
    }
    return this.#longReads(() => this.#readInTurns(limit, snapshot, () => steps))
  }

  async #readInTurns<T>(
    limit: ReadLimit,
    snapshot: Snapshot,
    start: (snapshot: Snapshot) => Generator<void, T>,
  ): Promise<T> {
    const deadline = performance.now() + limit.timeoutMs
    this.#snapshots.retain(snapshot)
    try {
      return await runInTurns(start(snapshot), () => {
        if (performance.now() > deadline) throw new DholeError('read-too-big')
        if (this.#closed !== undefined) throw new DholeError('unavailable')
      })
    } finally {
      this.#snapshots.release(snapshot)
    }
  }

  #forgetChanged(commits: readonly Commit[]): void {
    for (const { writes } of commits) for (const { path } of writes) this.#cache.invalidate(path)
  }
}
