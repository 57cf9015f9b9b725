import type { Commit } from '../store.ts'
import { type AppliedBatch, LogFlag } from './batch.ts'

/** A batch that becomes the applied one. */
export interface NextBatch {
  readonly batch: AppliedBatch
  /** Bits of `LogFlag`. */
  readonly flags: number
  /** Texts beside the tree as of the batch. */
  readonly settings: ReadonlyMap<string, string>
  /** Its commits, oldest first. */
  readonly commits: readonly Commit[]
  /** Whether this process has learned of it from the log. */
  readonly isForeign?: boolean
}

/** A batch that this process commits. */
interface Committing {
  readonly stamp: string
  /** Resolves when it is applied or given up. */
  readonly ended: Promise<void>
}

/**
 * What this process knows of the tree of one application: the last batch that it has applied. What it caches, sends
 * and decides is of exactly that batch.
 */
export class AppliedTree {
  /** Number of the tree: first column of every table. */
  readonly tree: number
  #epoch: string
  #batch: AppliedBatch
  #settings: ReadonlyMap<string, string>
  readonly #listeners: ((next: NextBatch) => void)[] = []
  readonly #movedListeners: (() => void)[] = []
  #committing: Committing | undefined
  /** Resolves when the last hold has ended. */
  #held: Promise<void> | undefined
  readonly #onError: (error: unknown) => void
  #isMoved = false

  /** @param onError called with what a listener throws: the batch is applied in any case */
  constructor(
    tree: number,
    epoch: string,
    batch: AppliedBatch,
    settings: ReadonlyMap<string, string>,
    onError: (error: unknown) => void,
  ) {
    this.#onError = onError
    this.tree = tree
    this.#epoch = epoch
    this.#batch = batch
    this.#settings = settings
  }

  get epoch(): string {
    return this.#epoch
  }

  get batch(): AppliedBatch {
    return this.#batch
  }

  /** The batch that this process commits now. */
  get committing(): Committing | undefined {
    return this.#committing
  }

  /** Whether the tree was moved elsewhere: nothing is read or written here any more. */
  get isMoved(): boolean {
    return this.#isMoved
  }

  get settings(): ReadonlyMap<string, string> {
    return this.#settings
  }

  /** Called with each batch in the turn in which it becomes the applied one, before followers. */
  onApplied(listener: (next: NextBatch) => void): void {
    this.#listeners.push(listener)
  }

  /** Called when the tree was moved elsewhere. */
  onMoved(listener: () => void): void {
    this.#movedListeners.push(listener)
  }

  /**
   * Keeps the next batch back. Resolves when none is being committed.
   * @returns ends the hold
   */
  async hold(): Promise<() => void> {
    const before = this.#held
    const ended = Promise.withResolvers<void>()
    const held = Promise.all([before, ended.promise]).then(() => {
      if (this.#held === held) this.#held = undefined
    })
    this.#held = held
    while (this.#committing !== undefined) await this.#committing.ended
    return ended.resolve
  }

  /** Resolves when no hold keeps the next batch back. */
  async unheld(): Promise<void> {
    while (this.#held !== undefined) await this.#held
  }

  /** Resolves when no hold keeps the next batch back, with a function to call when it is applied or given up. */
  async beginCommit(stamp: string): Promise<() => void> {
    while (this.#held !== undefined) await this.#held
    return this.beginCommitNow(stamp)
  }

  /** As `beginCommit`, whatever holds the batch back. */
  beginCommitNow(stamp: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#committing = { stamp, ended: promise }
    return () => {
      this.#committing = undefined
      resolve()
    }
  }

  /** Makes a batch the applied one. */
  apply(next: NextBatch): void {
    this.#batch = next.batch
    this.#settings = next.settings
    const moves = (next.flags & LogFlag.moved) !== 0 && !this.#isMoved
    if (moves) this.#isMoved = true
    for (const listener of this.#listeners) this.#safely(() => listener(next))
    if (moves) for (const listener of this.#movedListeners) this.#safely(listener)
  }

  /** Goes on in another history of the tree. */
  replace(epoch: string, next: NextBatch): void {
    this.#epoch = epoch
    this.apply(next)
  }

  #safely(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#onError(error)
    }
  }
}
