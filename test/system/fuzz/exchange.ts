/** A request as it is sent: headers may stand twice, text is bytes. */
export interface FuzzRequest {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array<ArrayBuffer> | undefined
}

/** What came back. */
export interface FuzzAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
}

/** Why there is no answer: the connection was closed first, or nothing came for too long. */
export type Silence = 'closed' | 'hang'

/** Longest that anything may take. */
export const PATIENCE_MS = 30_000
