import type { Answer, HttpsServer } from '../../support/https-server.ts'

/** A server that a client speaks to. */
export type Server = Pick<HttpsServer, 'call' | 'port' | 'ca'>

/** Hears that something was acknowledged, in the moment the client knows it. @param name of the witness it was told */
export type OnAcknowledged = (name: string) => void

/** A client that knows what it was told, and notices when that is not so any more. */
export interface Witness {
  /** Its own among all, and of all runs with the same seed. */
  readonly name: string
  /** Makes its next request, perhaps several. Rejects when the connection breaks. */
  act(server: Server): Promise<void>
  /** Looks after a crash, and goes on from what is there. @returns what is wrong */
  settle(server: Server): Promise<readonly string[]>
}

/** @throws Error unless it has one of these statuses: what the load asks for is in order */
export function expectStatus(what: string, { status, text }: Answer, ...allowed: readonly number[]): void {
  if (!allowed.includes(status)) throw new UnexpectedAnswer(`${what}: ${status} ${text.slice(0, 200)}`)
}

/** An answer that no crash explains. */
export class UnexpectedAnswer extends Error {}
