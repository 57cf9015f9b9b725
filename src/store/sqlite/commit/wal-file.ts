import { close, fdatasync, fdatasyncSync, fstatSync, openSync, write } from 'node:fs'
import { promisify } from 'node:util'

/** Syncs a file. Replaceable so that a test can hold a sync back. */
export type SyncLog = (descriptor: number, done: (error: Error | null) => void) => void

/** Bytes added to the file at a time, by one call: enough for a hundred small commits, and one longer sync for all of them. */
const STEP_BYTES = 1024 * 1024
const ZEROS = new Uint8Array(STEP_BYTES)
/** Share of a step that is kept free beyond the end of the log. */
const SPARE_SHARE = 4

const append = promisify(write)
const closeLater = promisify(close)

/**
 * The file of the write-ahead log, which group commit syncs. A sync of a file that has just grown must write its length
 * too and takes longer (`bun run bench write`, PUT leaf alone), so the file is extended ahead with zeros. SQLite ends its
 * log at the first invalid frame, as it does at frames of an earlier round.
 */
export class WalFile {
  readonly #descriptor: number
  /** Appends only: the system puts zeros behind whatever SQLite has written by then. */
  readonly #end: number
  readonly #syncLog: SyncLog
  readonly #step: number
  #length: number
  #used = 0
  #extending: Promise<void> | undefined

  /** @param limitBytes length of the log at which writes pause: room is made in smaller steps than that */
  constructor(file: string, limitBytes: number, syncLog: SyncLog = fdatasync) {
    this.#step = Math.min(STEP_BYTES, Math.ceil(limitBytes / SPARE_SHARE))
    this.#descriptor = openSync(`${file}-wal`, 'r+')
    this.#end = openSync(`${file}-wal`, 'a')
    this.#syncLog = syncLog
    this.#length = fstatSync(this.#descriptor).size
  }

  sync(done: (error: Error | null) => void): void {
    this.#syncLog(this.#descriptor, done)
  }

  /** Holds the event loop until the sync has returned. @throws when it fails */
  syncNow(): void {
    fdatasyncSync(this.#descriptor)
  }

  /**
   * Extends the file ahead of the log, beside the event loop, while SQLite may write to it.
   * @param used length of the log, in bytes
   * @returns rejects when the system cannot write
   */
  makeRoom(used: number): Promise<void> | undefined {
    const startedOver = used < this.#used
    this.#used = used
    const wanted = used + this.#step / SPARE_SHARE
    if (this.#extending !== undefined || (!startedOver && wanted <= this.#length)) return undefined
    // SQLite extends and truncates the file as well.
    this.#length = fstatSync(this.#descriptor).size
    if (wanted <= this.#length) return undefined
    this.#extending = this.#extend().finally(() => {
      this.#extending = undefined
    })
    return this.#extending
  }

  async #extend(): Promise<void> {
    const { bytesWritten } = await append(this.#end, ZEROS, 0, this.#step)
    this.#length += bytesWritten
  }

  async close(): Promise<void> {
    await this.#extending?.catch(() => {})
    await closeLater(this.#end)
    await closeLater(this.#descriptor)
  }
}
