import type { Request } from '../driver.ts'

/** A request, and what the rules say of it. */
export interface Decision {
  readonly name: string
  readonly rules: object
  readonly request: Request
  readonly allowed: boolean
  /** The verdict as long as the rules stay, whatever is written. */
  readonly fixed?: boolean
  /** The verdict whatever the time. */
  readonly timeless?: boolean
  /** Every rule that was looked at, in order. */
  readonly trace?: readonly string[]
}
