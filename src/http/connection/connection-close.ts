const CLOSE = /(?:^|[\s,])close(?:$|[\s,])/i

/**
 * Answers `Connection: close` with the same header. The listener closes such a connection in any case; without the
 * header some clients reuse it for their next request, which then fails. HTTP/2 has no such header.
 * @see docs/reference/protocol.md#ground-rules
 */
export function confirmClose(request: Request, reply: Response): Response {
  const connection = request.headers.get('connection')
  if (connection !== null && CLOSE.test(connection)) reply.headers.set('Connection', 'close')
  return reply
}
