import { DholeError } from '../error.ts'
import type { AuthorizeRead } from '../tree/read-program.ts'
import type { EventBatch } from './event-batch.ts'
import type { MailboxBound, ReserveMemory } from './mailbox.ts'

/** Why the server ends a stream, in words for the client. */
export interface EndReason {
  readonly kind: 'cancel' | 'auth_revoked'
  readonly text: string
}

/** The data is longer than one read may be. */
export const TOO_LARGE: EndReason = {
  kind: 'cancel',
  text: 'The specified payload is too large, please request a location with less data.',
}

/** The memory held for clients is exhausted, and the stream takes the most of it. */
export const NO_ROOM: EndReason = {
  kind: 'cancel',
  text: 'The service has no room for so much data, please request less.',
}

export const DENIED: EndReason = { kind: 'cancel', text: 'Permission denied' }

/** Why a stream ends after a failure; `undefined` if the client gets no reason. */
export function reasonOf(error: unknown): EndReason | undefined {
  if (!(error instanceof DholeError)) return undefined
  if (error.code === 'permission-denied') return DENIED
  if (error.code === 'too-busy') return NO_ROOM
  return error.code === 'read-too-big' ? TOO_LARGE : undefined
}

/** Result of a sink that refused a batch for good: the stream must begin anew. */
export const BEGIN_ANEW = Symbol('begin anew')

/** Receives the events of one subscriber. */
export interface Sink {
  /** Authorises the listener on the commit that a snapshot is read from; without, it may read everything. */
  authorize?(): ReturnType<AuthorizeRead>
  /** Reserves memory for the client; without, nothing is counted. */
  readonly reserve?: ReserveMemory | undefined
  /** Bound shared by all listens of one connection; without, each subscriber has its own. */
  readonly bound?: MailboxBound | undefined
  /**
   * Takes a batch. A batch that is a beginning is never refused.
   * @returns `BEGIN_ANEW` if it was refused; a promise if there is no room for more, which resolves when there is, to
   *   `BEGIN_ANEW` if the batch was refused after all
   */
  write(batch: EventBatch): Promise<unknown> | typeof BEGIN_ANEW | undefined
  /** Called after a time without events, while there is room. */
  keepAlive(): void
  /** Ends the stream. */
  end(reason?: EndReason): void
  /** Aborts the connection of a client that does not read. */
  abort(): void
}
