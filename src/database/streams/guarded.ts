import type { Caller } from '../../auth/caller.ts'
import type { Decision } from '../../rules/decision/decision.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import type { Reads } from '../../tree/read-program.ts'

/** What all guards of a tree need of it. */
export interface GuardedTree {
  /** Source of the rules in force; another text means other rules. */
  rules(): string | undefined
  /** Number of the last durable commit. */
  seq(): number
  /** Whether no event may be sent: other processes may have taken the permission away. */
  isSilent(): boolean
  /** Runs a decision on the last durable commit. */
  run(logic: () => Reads<Decision>): Awaitable<Decision>
}

/** A caller that listens, and how its permission is decided. */
export interface GuardedCaller {
  readonly caller: Caller
  /** Decides the read of the stream; `undefined` when no rule applies to the caller. */
  readonly decide: (() => Reads<Decision>) | undefined
}
