import type { Awaitable } from '../scheduling/awaitable.ts'

/** A value that a client wants written when its session has ended. */
export interface SessionValue {
  /** Its number in the session, from 1. A number is not used again. */
  readonly position: number
  /** JSON text of the keys of its path. */
  readonly path: string
  /** JSON text of the value. */
  readonly json: string
}

/** Changes what is stored of a session of a client. */
export interface SessionChange {
  readonly session: string
  /** Its caller, as JSON text. The first change of a session has one; absent: as before. */
  readonly caller?: string | undefined
  readonly added?: readonly SessionValue[]
  /** Positions of values. */
  readonly removed?: readonly number[]
  /** Removes the session with all its values. */
  readonly isOver?: boolean
}

/** What is stored of a session. */
export interface StoredSession {
  /** As it was stored last. */
  readonly caller: string
  /** In the order of their positions. */
  readonly values: readonly SessionValue[]
}

/** What is stored of the sessions of one tree. Each belongs to the process that its client is connected to. */
export interface StoredSessions {
  /**
   * Takes over sessions whose process has ended, some at a time. Durable when it resolves.
   * @param isOpening no session is open here yet: those of this process are left, too, and processes of which it is not
   * known whether they have ended are waited for
   * @returns their ids; none: nothing is left
   */
  takeLeft(isOpening: boolean): Awaitable<readonly string[]>
  /** Takes over one session, whatever process it belongs to. @returns whether something is stored of it */
  take(session: string): Awaitable<boolean>
  /** What is stored of a session of this process. */
  read(session: string): Awaitable<StoredSession | undefined>
  /** Those of some sessions that do not belong to this process any more. */
  lost(sessions: readonly string[]): Awaitable<readonly string[]>
  /** Calls a listener when another process has taken over sessions, perhaps of this one. */
  onTaken(listener: () => void): void
}
