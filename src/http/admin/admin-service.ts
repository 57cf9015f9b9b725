import type { TObject, TSchema } from '@sinclair/typebox'
import type { FailedAttempts } from '../../auth/failed-attempts.ts'
import type { OperatorSecret } from '../../auth/operator-secret.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'

/** Who asks: the operator, or a client with the super secret of an application. */
export type AdminCaller = { readonly role: 'operator' } | { readonly role: 'application'; readonly application: string }

/** An operation of the admin API. */
interface OfferedOperation {
  readonly access: 'operator' | 'application' | 'any'
  readonly summary: string
  readonly input: TObject
  /** Whether it changes something, so that it is reported. */
  readonly changes: boolean
  /** Longest input, in bytes. */
  readonly maxInputBytes: number
}

/** Answers one JSON value. */
export interface OfferedValue extends OfferedOperation {
  readonly kind: 'value'
  readonly result: TSchema
  run(input: unknown, caller: AdminCaller): Awaitable<unknown>
}

/** Answers text of any length. */
export interface OfferedStream extends OfferedOperation {
  readonly kind: 'stream'
  run(input: unknown, caller: AdminCaller): AsyncGenerator<string, void>
}

/** What the admin API is made of. The operations come from outside, so that HTTP depends on none of them. */
export interface AdminService {
  readonly operations: ReadonlyMap<string, OfferedValue | OfferedStream>
  readonly operator: OperatorSecret
  readonly failedAttempts: FailedAttempts
  /** Application that stores which sessions of the operator have ended. */
  readonly homeApplication: string
  /** Whether the listener is for this machine only, so that foreign host names of local requests are refused. */
  readonly isLoopbackOnly: boolean
  /** Called when an operation that changes something begins. */
  readonly onChange?: ((name: string, caller: AdminCaller, address: string | undefined) => void) | undefined
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined
}
