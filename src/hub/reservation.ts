/** Memory that is counted as held for clients. */
export interface Reservation {
  /** It takes so many bytes now. May give up others, or this, before it returns. */
  resize(bytes: number): void
  /** Nothing is held any more. */
  release(): void
}

/**
 * Counts memory that is held for clients.
 * @param what is held: those who hold the same thing hold it together, and it is counted once
 * @param give called at most once, when there is no room for it any more; it counts as released then
 * @param isSpare whether to give it up costs the client little: it goes before all that is not
 */
export type ReserveMemory = (what: object, bytes: number, give: () => void, isSpare?: boolean) => Reservation
