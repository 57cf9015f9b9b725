import type { Statements } from '../../connection/lane.ts'
import type { Lanes } from '../../connection/lanes.ts'
import { commitBatch, commitInTurn, type ReadyBatch } from '../commit-statement.ts'
import type { Patience } from '../committer.ts'
import type { WriteTurn } from './write-turn.ts'

/** How one attempt to write a batch uses the database. What it throws is thrown by the database, or a `BatchConflict`. */
export interface WriteAccess {
  /** The turn of the batch; `undefined` when it does not queue. */
  readonly turn: WriteTurn | undefined
  /** Reads for the batch. @param work may run more than once */
  read<T>(work: (statements: Statements) => Promise<T>): Promise<T>
  /** @param isRepeated whether the same batch was sent before */
  commit(ready: ReadyBatch, isRepeated: boolean): Promise<void>
  /**
   * Runs statements in a transaction, and commits.
   * @param work its argument `isPolite` says whether the batch is left undone while other processes queue
   * @param isRepeated whether the same batch was sent before
   */
  transaction<T>(work: (statements: Statements, isPolite: boolean) => Promise<T>, isRepeated: boolean): Promise<T>
  /** Lets others write, when there is nothing to commit. */
  end(): void
}

/** Without a turn. @param isPolite whether a batch is left undone while other processes queue */
export function freeAccess(lanes: Lanes, patience: Patience, isPolite: boolean): WriteAccess {
  return {
    turn: undefined,
    read: (work) => patience.run(() => lanes.use(work)),
    commit: (ready, isRepeated) => commitBatch(lanes, ready, isPolite && !isRepeated),
    transaction: (work, isRepeated) => lanes.transaction((statements) => work(statements, isPolite && !isRepeated)),
    end: () => {},
  }
}

/** In a turn, which ends with the first attempt to commit. */
export function accessInTurn(lanes: Lanes, turn: WriteTurn): WriteAccess {
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } finally {
      turn.end()
    }
  }
  return {
    turn,
    read: (work) => work(turn),
    commit: (ready, isRepeated) =>
      isRepeated ? commitBatch(lanes, ready, false) : inTurn(() => commitInTurn(turn, ready)),
    transaction: (work, isRepeated) => {
      if (isRepeated) return lanes.transaction((statements) => work(statements, false))
      return inTurn(async () => {
        const result = await work(turn, false)
        await turn.commit()
        return result
      })
    },
    end: () => turn.end(),
  }
}
