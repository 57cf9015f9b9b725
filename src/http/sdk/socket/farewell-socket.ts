import { DholeError } from '../../../error.ts'
import type { Answer, Exchange } from '../../exchange.ts'
import { control } from '../session/messages.ts'
import { WatchedSocket } from './watched-socket.ts'

const GOING_AWAY = 1001

/** A WebSocket of no session: it says one thing, and closes. */
class FarewellSocket {
  readonly #message: string

  constructor(message: string) {
    this.#message = message
  }

  open(socket: { sendText(text: string): number; close(code: number): void }): void {
    socket.sendText(this.#message)
    socket.close(GOING_AWAY)
  }
}

/** Answers a client that wants to take over a session that there is none: it stays with long polling. */
export function resetting({ target: { host } }: Exchange): object {
  return new FarewellSocket(control('r', host))
}

/**
 * Has a client that names no application connect no more: it would try again for ever. Other refusals, and requests
 * that ask for no socket, are answered as they are.
 */
export function orFarewell(answer: Answer): Answer {
  return async (exchange) => {
    try {
      return await answer(exchange)
    } catch (error) {
      if (!(error instanceof DholeError) || !isFinal(error)) throw error
      const text = `${error.message}: name one of this server in the URL, as in ?ns=app`
      return upgraded(exchange, new FarewellSocket(control('s', text))) ?? rethrown(error)
    }
  }
}

function isFinal({ code }: DholeError): boolean {
  return code === 'app-unknown' || code === 'app-not-named'
}

function rethrown(error: unknown): never {
  throw error
}

/**
 * @param data gets what happens to the socket
 * @param silenceMs as of `WatchedSocket`
 * @returns `undefined` if the request asks for none
 */
export function upgraded(
  { listener, request, limits }: Exchange,
  data: object,
  silenceMs?: number,
): Response | undefined {
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return undefined
  const watched = new WatchedSocket(data, limits, silenceMs)
  if (listener?.upgrade?.(request, { data: watched as never }) !== true) return undefined
  return new Response(null)
}
