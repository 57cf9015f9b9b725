import type { Awaitable } from '../../scheduling/awaitable.ts'

const CLOSE = /(?:^|[\s,])close(?:$|[\s,])/i

/**
 * Answers `Connection: close` with the same header. The listener closes such a connection in any case; without the
 * header some clients keep it for their next request, which then fails. HTTP/2 has no such header: the listener neither
 * hands one over nor sends one.
 * @see docs/reference/protocol.md#ground-rules
 */
export function confirmClose(request: Request, reply: Awaitable<Response>): Awaitable<Response> {
  const connection = request.headers.get('connection')
  if (connection === null || !CLOSE.test(connection)) return reply
  return reply instanceof Promise ? reply.then(closing) : closing(reply)
}

function closing(reply: Response): Response {
  reply.headers.set('Connection', 'close')
  return reply
}
