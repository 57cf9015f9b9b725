import { shippedWorker } from '../../../files/shipped-file.ts'
import type { Connection } from '../file/connection.ts'
import type { CheckpointReply, CheckpointRequest } from './checkpoint-worker.ts'

/** Bytes of one page in the log, its header included. */
const FRAME_BYTES = 4096 + 24
/** Length of the log file, in limits, above which SQLite truncates it. */
const LARGEST_FILE = 2
/** Share of the limit that waits to be moved before the worker starts beside the writes. */
const START_SHARE = 4

/** Measures the write-ahead log, and moves its pages into the database file with a worker. */
export class Checkpoint {
  readonly #file: string
  readonly #limitBytes: number
  readonly #length
  readonly #onDone: (logBytes: number, milliseconds: number) => void
  /** Length at which writes pause next. It grows if a long read keeps a checkpoint from finishing. */
  #pauseAtBytes: number
  #bytes = 0
  /** Pages of the log that the database file has. */
  #moved = 0
  #worker: Worker | undefined
  #running: Promise<void> | undefined
  #isReleased = false

  /**
   * @param limitBytes length of the log at which writes pause until it starts over
   * @param onDone called with the length of the log before a checkpoint and its duration
   */
  constructor(
    file: string,
    writer: Connection,
    limitBytes: number,
    onDone: (logBytes: number, milliseconds: number) => void,
  ) {
    this.#file = file
    this.#limitBytes = limitBytes
    this.#pauseAtBytes = limitBytes
    this.#onDone = onDone
    writer.client.run(`PRAGMA journal_size_limit = ${LARGEST_FILE * limitBytes}`)
    this.#length = writer.client.prepare<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(NOOP)')
  }

  /**
   * Measures the log. Call it only between transactions of the writer: SQLite refuses inside one.
   * @returns bytes
   */
  measure(): number {
    const { log, checkpointed } = this.#length.get() ?? { log: 0, checkpointed: 0 }
    this.#bytes = log * FRAME_BYTES
    // Fewer moved pages than before: the log has started over, maybe with one write longer than the limit.
    const startedOver = checkpointed < this.#moved
    this.#moved = checkpointed
    if (startedOver || this.#bytes <= this.#limitBytes) this.#pauseAtBytes = this.#limitBytes
    return this.#bytes
  }

  /** Whether the log is so long that writes must pause for a checkpoint. */
  get overdue(): boolean {
    return this.#bytes > this.#pauseAtBytes
  }

  /** Runs a checkpoint beside the writes once enough was written since the last one. */
  async advance(): Promise<void> {
    const waiting = this.#bytes - this.#moved * FRAME_BYTES
    if (this.#running === undefined && waiting > this.#limitBytes / START_SHARE) await this.#run()
  }

  /**
   * Moves the whole log; the next commit then starts the log over. No transaction may be open, and no snapshot current.
   * If a long read holds an older commit, a part stays, and the log grows a little more before the next try.
   */
  async finish(): Promise<void> {
    try {
      await this.#running
      await this.#run()
    } finally {
      if (!this.#isReleased) this.measure()
      // Also after a failure: a log that cannot be moved must not stop all writes.
      this.#pauseAtBytes = this.#bytes + this.#limitBytes / START_SHARE
    }
  }

  /** Measures nothing any more: the connection of the writer is closed next. */
  release(): void {
    this.#isReleased = true
  }

  #run(): Promise<void> {
    this.#running ??= this.#move().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #move(): Promise<void> {
    const bytes = this.#bytes
    const startedAt = performance.now()
    await this.#ask({ file: this.#file })
    this.#onDone(bytes, performance.now() - startedAt)
  }

  async close(): Promise<void> {
    await this.#running?.catch(() => {})
    if (this.#worker === undefined) return
    await this.#ask('stop').catch(() => {})
    this.#worker?.terminate()
  }

  #ask(request: CheckpointRequest): Promise<void> {
    this.#worker ??= new Worker(shippedWorker('src/store/sqlite/commit/checkpoint-worker.ts'))
    const worker = this.#worker
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<CheckpointReply>) => {
        if (data === 'done') resolve()
        else reject(new Error(`cannot move the write-ahead log into the file: ${data.problem}`))
      }
      worker.onerror = ({ message }) => {
        // The worker has ended and would not answer the next request.
        this.#worker = undefined
        reject(new Error(`cannot move the write-ahead log into the file: ${message}`))
      }
      worker.postMessage(request)
    })
  }
}
