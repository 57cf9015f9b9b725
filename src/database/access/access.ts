import type { Caller } from '../../auth/caller.ts'
import { DholeError } from '../../error.ts'

/** Caller of a request. */
export interface Access {
  /** The caller that the rules apply to. Without it everything is allowed. */
  readonly as?: Caller | undefined
  /** Keys that the caller was identified by. Once they are replaced, nothing more is shown to it or written for it. */
  readonly keys?: { readonly isReplaced: boolean } | undefined
  /** Called with the trace of the evaluated rules, one line per rule. */
  readonly onTrace?: ((lines: readonly string[]) => void) | undefined
}

/** @throws `bad-token` when the keys that the caller was identified by are replaced */
export function checkKeys({ keys }: Pick<Access, 'keys'>): void {
  if (keys?.isReplaced === true) throw new DholeError('bad-token')
}
