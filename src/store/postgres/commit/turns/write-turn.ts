import { loopTurn } from '../../../../scheduling/loop-turn.ts'
import type { Parameter, Statements } from '../../connection/lane.ts'
import type { Lanes, TakenLane } from '../../connection/lanes.ts'
import type { Follower } from '../../follow/follower.ts'
import { PAGE_ROWS, rowsAfter } from '../../follow/foreign-batches.ts'
import { BatchConflict } from '../batch-conflict.ts'
import { TAKE_LOCK } from './writer-lock.ts'

/** Time after which the server ends the transaction of a process that was stopped, in milliseconds. */
const IDLE_MS = 3000
/** How often a process that works shows that it does, in milliseconds. */
const ALIVE_MS = 1000
/** Longest wait for the lock, in milliseconds: longer than a stopped process can have it. */
const LONGEST_WAIT_MS = 4000

/** One statement with its parameters. */
type Statement = readonly [text: string, parameters: readonly Parameter[]]

/**
 * The turn of one batch among those of several processes: an open transaction that has the lock of the writers. All batches
 * that were committed before are applied.
 */
export class WriteTurn implements Statements {
  readonly #taken: TakenLane
  readonly #tree: number
  #alive: ReturnType<typeof setInterval> | undefined
  #isOpen = true

  private constructor(taken: TakenLane, tree: number) {
    this.#taken = taken
    this.#tree = tree
  }

  /**
   * Waits for the turn.
   * @param applied number of the applied batch
   * @throws what the database throws: `55P03` when the wait was too long; `BatchConflict` when the log does not reach back to
   * the applied batch
   */
  static async begin(lanes: Lanes, tree: number, applied: () => number, follower: Follower): Promise<WriteTurn> {
    const turn = new WriteTurn(await lanes.take('transaction'), tree)
    try {
      await turn.#begin(lanes.statementMs, applied, follower)
      return turn
    } catch (error) {
      turn.end()
      throw error
    }
  }

  query<R extends object>(text: string, parameters: readonly Parameter[] = []): Promise<readonly R[]> {
    return this.#taken.lane.query<R>(text, parameters)
  }

  /** Whether another process has committed a batch behind a batch, without the lock. */
  async isOutrun(batch: number): Promise<boolean> {
    return this.#isOpen && (await rowsAfter(this, this.#tree, batch).catch(() => [])).length > 0
  }

  /**
   * Commits, together with a last statement.
   * @returns rows of that statement
   * @throws what the database throws; `ConnectionLost` or `StatementTimeout` when it may be committed
   */
  async commit<R extends object>(last?: Statement): Promise<readonly R[]> {
    const [rows] = await Promise.all([
      last === undefined ? [] : this.query<R>(...last),
      // It is sent with the statement: others wait.
      this.#taken.lane.commit(),
    ])
    this.#isOpen = false
    return rows
  }

  /** Gives up what is not committed, and lets others have the connection. */
  end(): void {
    clearInterval(this.#alive)
    // It is not waited for: the next user of the connection comes after it.
    if (this.#isOpen) void this.#taken.lane.rollback()
    this.#isOpen = false
    this.#taken.release()
  }

  async #begin(statementMs: number, applied: () => number, follower: Follower): Promise<void> {
    const { lane } = this.#taken
    const waitMs = Math.min(LONGEST_WAIT_MS, Math.ceil(statementMs / 2))
    const [, , first] = await Promise.all([
      lane.begin('read write'),
      lane.query(TAKE_LOCK, [this.#tree, `${IDLE_MS}ms`, `${waitMs}ms`]),
      rowsAfter(lane, this.#tree, applied()),
    ])
    for (let rows = first; ; rows = await rowsAfter(lane, this.#tree, applied())) {
      if (!follower.applyRows(rows)) throw new BatchConflict()
      if (rows.length < PAGE_ROWS) break
      if (loopTurn.isOver) await loopTurn.pause()
    }
    this.#alive = setInterval(() => {
      lane.query('SELECT $1::int', [this.#tree]).catch(() => {})
    }, ALIVE_MS)
  }
}
