import type { CommitContext } from '../../store/store.ts'
import type { JsonText } from '../../tree/json/print.ts'
import type { Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import type { Write, WritePlan } from '../../tree/write.ts'
import type { Authorizer } from '../access/authorizer.ts'
import type { WriteMethod } from './write-request.ts'

/**
 * Outcome of a write, as far as the same request cannot reproduce its answer. The written value is not part of it, so it
 * is short.
 */
export type StoredOutcome =
  | {
      readonly kind: 'written'
      /** Time used for server values. */
      readonly now: number
      /** Old numbers in the order of the increments, `null` where no number was. */
      readonly old: readonly (number | null)[]
    }
  | { readonly kind: 'appended'; readonly name: string; readonly now: number }
  /** The condition did not hold; stored text of the node, `null` for none. */
  | { readonly kind: 'mismatch'; readonly current: JsonText | null }

/** What an operation is going to write. */
interface PlannedChange {
  /** With server values filled in. */
  readonly plan: WritePlan
  readonly path: Path
  readonly writes: readonly Write[]
  /** Whether every run of the operation writes these very objects. */
  readonly canStoreAhead: boolean
}

/** What an operation decided: its result, and what to write, if anything. */
export interface Decided<T> {
  readonly result: T
  readonly change: PlannedChange | undefined
}

/** How the condition of a write is decided. */
export interface ConditionBounds {
  /** Whether it holds, if that is known. */
  readonly holds?: boolean | undefined
  /** Called before `EvaluationPostponed` is thrown, for a condition that takes long. Without it none is thrown. */
  readonly onPostponed?: (() => void) | undefined
  readonly onDecided?: ((holds: boolean) => void) | undefined
}

/** One checked write request. Its methods run inside a transaction, and may run several times. */
export interface WriteOperation<T> {
  readonly method: WriteMethod
  readonly path: Path
  /** The payload as sent. */
  readonly json: unknown
  /** See `isLargePlan`. */
  readonly isLarge: boolean
  /** Checks authorisation, condition, cost, priorities and validity. @throws if one of them fails; EvaluationPostponed */
  decide(context: CommitContext, authorizer: Authorizer | undefined, bounds?: ConditionBounds): Reads<Decided<T>>
  /** What `restore` needs; `undefined` for an outcome that is not stored. Reads the tree before the change. */
  outcomeToStore(result: T, context: CommitContext): Reads<StoredOutcome | undefined>
  /** The outcome of an earlier, equal request. */
  restore(stored: StoredOutcome): Reads<T>
}
