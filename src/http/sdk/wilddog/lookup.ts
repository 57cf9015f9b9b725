import { DholeError } from '../../../error.ts'
import type { Exchange } from '../../exchange.ts'
import { jsonReply } from '../../response/reply.ts'

/** Host that the SDKs ask, where it is made to lead to this server. */
const LOOKUP_HOST = /^ns\.wilddog\.com(?=:|$)/i

/**
 * Answers SDKs 2 of Wilddog with the host to connect to: the one that they have asked. One that has asked under the
 * name of Wilddog's own gets the host of the application.
 * @throws `app-not-named` where applications have no hosts, or none is named
 * @see docs/reference/sdk-protocol.md#wilddogs-sdks
 */
export function answerLookup(exchange: Exchange): Response {
  const { method, service, target } = exchange
  if (method !== 'GET' && method !== 'HEAD') throw new DholeError('method-not-allowed')
  const { host, search } = target
  const found = LOOKUP_HOST.test(host)
    ? host.replace(LOOKUP_HOST, () => service.applications.hostOf(new URLSearchParams(search).get('appId') ?? ''))
    : host
  return jsonReply(exchange, JSON.stringify({ nssList: [found] }))
}
