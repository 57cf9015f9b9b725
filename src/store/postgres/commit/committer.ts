import { DholeError } from '../../../error.ts'
import { failureKind } from '../connection/database-errors.ts'
import type { Lanes } from '../connection/lanes.ts'
import { BatchConflict } from './batch-conflict.ts'

/** First and longest pause between two attempts, in milliseconds. */
const FIRST_PAUSE_MS = 25
const LONGEST_PAUSE_MS = 1000

/** Runs statements again while the database is away or busy, for a limited time. */
export class Patience {
  readonly #end: number
  #pauseMs = FIRST_PAUSE_MS

  constructor(waitMs: number) {
    this.#end = performance.now() + waitMs
  }

  /** Waits before the next attempt. @throws `unavailable` when the time is over, and at once what will fail again */
  async after(error: unknown): Promise<void> {
    if (error instanceof BatchConflict) return
    const kind = failureKind(error)
    if (kind === 'bug') throw error
    if (performance.now() + this.#pauseMs > this.#end) throw new DholeError('unavailable', undefined, { cause: error })
    // Processes that failed together do not try again together.
    await new Promise((resolve) => setTimeout(resolve, this.#pauseMs * (0.5 + Math.random() / 2)))
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS)
  }

  /** Runs work until it succeeds. @throws as `after` */
  async run<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (error instanceof BatchConflict) throw error
        await this.after(error)
      }
    }
  }
}

/** The last batch of a tree, and the stamp of one that is looked for; rows of old batches are removed. */
const LOOK =
  'SELECT l.batch::float8 AS head, ' +
  '(SELECT o.stamp FROM log o WHERE o.tree = $1::int AND o.batch = $2::bigint) AS stamp ' +
  'FROM log l WHERE l.tree = $1::int ORDER BY l.batch DESC LIMIT 1'

/**
 * Commits a batch, and finds out what has become of it when the answer was lost: its number belongs to it, to another
 * batch, or to none.
 * @param commit writes the batch. It may be called again: then it must not leave the batch undone because others queue, since
 * what it has sent before may be among them.
 * @param onDoubt called when the answer was lost
 * @throws `BatchConflict` when another batch has the number; `unavailable` when the database stays away, or the number is of
 * a batch whose row was removed: the batch may be committed; what will fail again
 */
export async function commitSurely(
  lanes: Lanes,
  batch: { readonly tree: number; readonly number: number; readonly stamp: string },
  commit: (isRepeated: boolean) => Promise<void>,
  patience: Patience,
  onDoubt: () => void = () => {},
): Promise<void> {
  // Whether an earlier attempt may have taken effect, or may do so later.
  let isDoubtful = false
  for (let attempt = 0; ; attempt++) {
    try {
      await commit(attempt > 0)
      return
    } catch (error) {
      const isConflict = error instanceof BatchConflict
      if (isConflict && !isDoubtful) throw error
      if (!isConflict && failureKind(error) === 'bug') throw error
      if (!isConflict && failureKind(error) === 'away') onDoubt()
      await patience.after(error)
      isDoubtful ||= !isConflict && failureKind(error) === 'away'
      const [found] = await patience.run(() =>
        lanes.query<{ head: number; stamp: string | null }>(LOOK, [batch.tree, batch.number]),
      )
      if (found?.stamp === batch.stamp) return
      if (typeof found?.stamp === 'string') throw new BatchConflict()
      if (found !== undefined && found.head >= batch.number) {
        throw new DholeError('unavailable', undefined, { cause: new Error('the row of the batch was removed') })
      }
      if (isConflict) throw error
    }
  }
}
