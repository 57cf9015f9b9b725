import type { Caller } from '../../auth/caller.ts'

/** Whose request it is. */
export interface Access {
  /** Who asks: the rules of the tree decide what they may. Without, everything is allowed. */
  readonly as?: Caller | undefined
  /** Hears which rules were looked at and what they said, a line each. */
  readonly onTrace?: ((lines: readonly string[]) => void) | undefined
}
