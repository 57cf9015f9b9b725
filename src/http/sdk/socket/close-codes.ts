import type { EndCause } from '../session/carrier.ts'

/** Close codes by cause. A client that is too slow would not read one. */
const CODES = { away: 1001, 'not-understood': 1002, 'too-much': 1008, 'too-big': 1009 } as const
/** What the runtime gives for a connection that has ended without a code. */
const WITHOUT_CODE = 1006

/** A WebSocket that can be closed. */
interface ClosableSocket {
  close(code: number, reason: string): void
  terminate(): void
}

/** Closes a WebSocket for a cause. */
export function closeFor(socket: ClosableSocket, cause: EndCause, reason: string): void {
  if (cause === 'too-slow') socket.terminate()
  else socket.close(CODES[cause], reason)
}

/** Why a client has closed a WebSocket, by the code. */
export function causeOf(code: number): 'left' | 'lost' {
  return code === WITHOUT_CODE ? 'lost' : 'left'
}
