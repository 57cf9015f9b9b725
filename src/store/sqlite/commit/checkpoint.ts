import { shippedWorker } from '../../../files/shipped-file.ts'
import type { Connection } from '../file/connection.ts'
import type { CheckpointReply, CheckpointRequest } from './checkpoint-worker.ts'

/** Bytes of one page in the log, its header included. */
const FRAME_BYTES = 4096 + 24
/** After a write longer than this many limits the file itself is cut down again. */
const LARGEST_FILE = 2
/** The worker moves pages beside the writes whenever this share of the limit waits to be moved. */
const START_SHARE = 4

/** How long the write-ahead log is, and the worker that shortens it. */
export class Checkpoint {
  readonly #file: string
  readonly #limitBytes: number
  readonly #length
  readonly #onDone: (logBytes: number, milliseconds: number) => void
  /** Length at which the next pause is worth it: a long read can keep a checkpoint from shortening the log. */
  #pauseAtBytes: number
  #bytes = 0
  /** Pages of the log that stand in the database file. */
  #moved = 0
  #worker: Worker | undefined
  #running: Promise<void> | undefined
  #isReleased = false

  /**
   * @param limitBytes length of the log at which writes pause until it starts over
   * @param onDone hears how long the log was when a checkpoint began, and how long that took
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
   * Takes the length of the log. Only between transactions of the writer: SQLite refuses inside one.
   * @returns bytes
   */
  measure(): number {
    const { log, checkpointed } = this.#length.get() ?? { log: 0, checkpointed: 0 }
    this.#bytes = log * FRAME_BYTES
    // Fewer pages moved than before: the log has started over, be it with one write longer than the limit.
    const startedOver = checkpointed < this.#moved
    this.#moved = checkpointed
    if (startedOver || this.#bytes <= this.#limitBytes) this.#pauseAtBytes = this.#limitBytes
    return this.#bytes
  }

  /** Whether the log is so long that writes should pause for a checkpoint. */
  get overdue(): boolean {
    return this.#bytes > this.#pauseAtBytes
  }

  /** Starts a checkpoint beside the writes once enough has been written since the last one. */
  async advance(): Promise<void> {
    const waiting = this.#bytes - this.#moved * FRAME_BYTES
    if (this.#running === undefined && waiting > this.#limitBytes / START_SHARE) await this.#run()
  }

  /**
   * Moves the whole log while nobody writes and no reader holds an older commit; the next commit then starts the log
   * over. A long read may stand in the way: then the log grows a little more before the next try.
   */
  async finish(): Promise<void> {
    try {
      await this.#running
      await this.#run()
    } finally {
      if (!this.#isReleased) this.measure()
      // Also when it failed: a log that cannot be moved must not stop every write.
      this.#pauseAtBytes = this.#bytes + this.#limitBytes / START_SHARE
    }
  }

  /** The connection of the writer is being closed: from now on nothing is measured on it. */
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
        // It has ended, and would not answer again.
        this.#worker = undefined
        reject(new Error(`cannot move the write-ahead log into the file: ${message}`))
      }
      worker.postMessage(request)
    })
  }
}
