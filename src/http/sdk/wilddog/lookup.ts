import type { Exchange } from '../../exchange.ts'
import { jsonReply } from '../../response/reply.ts'

/** Tells SDKs 2 of Wilddog which host to connect to: the one that they have asked. @see docs/reference/sdk-protocol.md#wilddogs-sdks */
export function answerLookup(exchange: Exchange): Response {
  return jsonReply(exchange, JSON.stringify({ nssList: [exchange.target.host] }))
}
