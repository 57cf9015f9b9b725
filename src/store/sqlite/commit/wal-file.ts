import { close, fdatasync, fdatasyncSync, fstatSync, openSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'

/** Syncs a file. Replaceable so that a test can hold a sync back. */
export type SyncLog = (descriptor: number, done: (error: Error | null) => void) => void

/** Bytes added to the file at a time: quickly written, and enough for a hundred small commits. */
const STEP_BYTES = 1024 * 1024
/** Share of a step that is kept free beyond the end of the log. */
const SPARE_SHARE = 4

/**
 * The file of the write-ahead log, which group commit syncs. A sync of a file that has just grown must write its length
 * too and takes longer (`bun run bench write`, PUT leaf alone), so the file is extended ahead with zeros. SQLite ends its
 * log at the first invalid frame, as it does at frames of an earlier round.
 */
export class WalFile {
  readonly #descriptor: number
  readonly #syncLog: SyncLog
  readonly #step: number
  #length: number
  #used = 0

  /** @param limitBytes length of the log at which writes pause: room is made in smaller steps than that */
  constructor(file: string, limitBytes: number, syncLog: SyncLog = fdatasync) {
    this.#step = Math.min(STEP_BYTES, Math.ceil(limitBytes / SPARE_SHARE))
    this.#descriptor = openSync(`${file}-wal`, 'r+')
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
   * Extends the file ahead of the log. Call it only between transactions: SQLite must not write at the same time.
   * @param used length of the log, in bytes
   */
  makeRoom(used: number): void {
    const startedOver = used < this.#used
    this.#used = used
    const wanted = used + this.#step / SPARE_SHARE
    if (!startedOver && wanted <= this.#length) return
    // SQLite extends and truncates the file as well. Zeros are written only behind its end.
    this.#length = fstatSync(this.#descriptor).size
    if (wanted > this.#length) {
      this.#length += writeSync(this.#descriptor, new Uint8Array(this.#step), 0, this.#step, this.#length)
    }
  }

  close(): Promise<void> {
    return promisify(close)(this.#descriptor)
  }
}
