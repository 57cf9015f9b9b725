import type { Caller } from '../../auth/caller.ts'

/** Caller of a request. */
export interface Access {
  /** The caller that the rules apply to. Without it everything is allowed. */
  readonly as?: Caller | undefined
  /** Called with the trace of the evaluated rules, one line per rule. */
  readonly onTrace?: ((lines: readonly string[]) => void) | undefined
}
