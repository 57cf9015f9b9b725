import { DholeError } from '../../error.ts'
import type { BatchTransaction, RunBatch } from './batch.ts'
import { Patience } from './commit/committer.ts'
import { arrayOf } from './connection/arrays.ts'
import { failureKind } from './connection/database-errors.ts'
import type { Parameter, Statements } from './connection/lane.ts'
import type { Lanes } from './connection/lanes.ts'
import type { StorageClock } from './database-clock.ts'
import { isAlive } from './processes.ts'

type Item = string | number | boolean | null

/** Statements whose parameters may be arrays, for `$1::text[]` and others. */
interface SideStatements {
  query<R extends object>(text: string, values?: readonly (Item | readonly Item[])[]): Promise<readonly R[]>
}

/** Work in the transaction of a batch. */
interface SideBatch extends Pick<BatchTransaction, 'now' | 'takeIds' | 'mark'> {
  readonly statements: SideStatements
}

/**
 * Tables of other modules beside the tree of one application. What fails because of the database is `unavailable`.
 */
export interface SideTables {
  /** Number of the tree: first column of every table. */
  readonly tree: number
  /** Id of this process. */
  readonly process: string
  /** The clock of the database. */
  readonly clock: StorageClock
  /** @returns condition that a process is alive. @param id an SQL expression */
  isAlive(id: string): string
  /** Runs work as a batch of the tree. It may run more than once; only its last run counts. */
  run<T>(work: (batch: SideBatch) => Promise<T>): Promise<T>
  /** Runs one statement that changes nothing. */
  query: SideStatements['query']
  /** Runs statements that see one snapshot. It may run more than once. */
  snapshot<T>(work: (statements: SideStatements) => Promise<T>): Promise<T>
  /** Runs statements in one transaction beside the batches, once: what became of it is not known after a failure. */
  transaction<T>(work: (statements: SideStatements) => Promise<T>): Promise<T>
}

/** What the trees of a process share. */
interface SharedParts {
  readonly lanes: Lanes
  readonly process: string
  readonly clock: StorageClock
}

interface TreeParts {
  readonly tree: number
  readonly run: RunBatch
  /** @throws `unavailable` once the tree is closed */
  checkOpen(): void
  /** How long a read waits for the database, in milliseconds. */
  readonly waitMs: number
}

export function sideTables(
  { lanes, process, clock }: SharedParts,
  { tree, run, checkOpen, waitMs }: TreeParts,
): SideTables {
  const patiently = <T>(work: () => Promise<T>) =>
    new Patience(waitMs).run(async () => {
      checkOpen()
      return await work()
    })
  return {
    tree,
    process,
    clock,
    isAlive,
    run: (work) =>
      run(({ statements, ...batch }) => work({ ...batch, statements: withArrays(statements) })).catch(asUsers),
    query: (text, values) => patiently(() => withArrays(lanes).query(text, values)),
    snapshot: (work) => patiently(() => lanes.snapshot((statements) => work(withArrays(statements)))),
    transaction: async (work) => {
      checkOpen()
      return await lanes.transaction((statements) => work(withArrays(statements))).catch(asUsers)
    },
  }
}

function withArrays(statements: Statements): SideStatements {
  return { query: (text, values = []) => statements.query(text, values.map(parameterOf)) }
}

function parameterOf(value: Item | readonly Item[]): Parameter {
  return Array.isArray(value) ? arrayOf(value) : (value as Item)
}

/** @throws `unavailable` in place of what the database throws while it is away or busy */
function asUsers(error: unknown): never {
  if (error instanceof DholeError || failureKind(error) === 'bug') throw error
  throw new DholeError('unavailable', undefined, { cause: error })
}
