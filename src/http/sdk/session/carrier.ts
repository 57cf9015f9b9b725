/** Why the server ends a connection. */
export type EndCause = 'away' | 'not-understood' | 'too-big' | 'too-much' | 'too-slow'

/** Carries the messages of a session to its client, in order. */
export interface Carrier {
  /** @returns a promise if there is no room for more, which resolves when there is */
  send(text: string): Promise<void> | undefined
  /** A promise of room for more; `undefined` if there is some. */
  readonly room: Promise<void> | undefined
  /** Sends what `work` sends in as few packets as there may be. */
  together?(work: () => void): void
  /** Ends the connection. */
  end(cause: EndCause, reason: string): void
}

/** A carrier that takes over a session from another one. */
export interface NextCarrier extends Carrier {
  /** The old carrier has carried its last message in both directions. */
  takeOver(): void
}
