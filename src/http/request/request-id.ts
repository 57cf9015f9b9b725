const HEADER = 'X-Request-Id'
const GIVEN = /^[A-Za-z0-9._-]{1,128}$/
const ID = Symbol('request id')

/** A request that somebody has asked for its id. */
type Named = Request & { [ID]?: string }

/**
 * Tells a request from all others: the id that it came with, if that is a good one, else one that is made now.
 * @see docs/reference/protocol.md#request-ids
 */
export function requestIdOf(request: Request): string {
  const named: Named = request
  named[ID] ??= given(request) ?? crypto.randomUUID()
  return named[ID]
}

/** Tells in an answer the id of its request. */
export function withRequestId(reply: Response, request: Request): Response {
  reply.headers.set(HEADER, requestIdOf(request))
  return reply
}

function given({ headers }: Request): string | undefined {
  const id = headers.get(HEADER)
  return id !== null && GIVEN.test(id) ? id : undefined
}
