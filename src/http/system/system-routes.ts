import { hasCredential } from '../../auth/caller.ts'
import { DholeError } from '../../error.ts'
import { type Exchange, withRequestId } from '../exchange.ts'
import { callerOf } from '../request/caller.ts'
import { formatReply } from '../response/reply.ts'

const OK = '{"status":"ok"}'

/** Whether the process is alive. @throws `method-not-allowed` @see docs/reference/protocol.md#health-readiness-and-metrics */
export function answerHealth(exchange: Exchange): Response {
  checkMethod(exchange)
  return formatReply(exchange, OK, {})
}

/** Whether every kept application can be read and written. @throws `method-not-allowed` */
export async function answerReady(exchange: Exchange): Promise<Response> {
  checkMethod(exchange)
  const readiness = await exchange.service.applications.readiness()
  if (readiness === 'ready') return formatReply(exchange, OK, {})
  const text = JSON.stringify({ status: 'unavailable', reason: readiness })
  return withRequestId(formatReply(exchange, text, {}, 503), exchange)
}

/**
 * Metrics, for the administrator of the default application.
 * @throws `https-required`, `json-suffix-missing` where there are none, `method-not-allowed`, `permission-denied` and as
 * `Authenticator.authenticate`
 */
export async function answerMetrics(exchange: Exchange): Promise<Response> {
  const { applications, metrics } = exchange.service
  if (!exchange.isSecure) throw new DholeError('https-required')
  if (metrics === undefined) throw new DholeError('json-suffix-missing')
  checkMethod(exchange)
  const application = await applications.choose(undefined, '')
  const caller = await callerOf(application, exchange, exchange.target.raw.values)
  // A request without a credential is an error here, but no failed guess.
  if (!hasCredential(caller)) throw new DholeError('bad-token')
  if (caller.kind !== 'admin') throw new DholeError('permission-denied')
  const { text, contentType } = await metrics.print()
  const reply = formatReply(exchange, text, {})
  reply.headers.set('Content-Type', contentType)
  return reply
}

function checkMethod({ method }: Exchange): void {
  if (method !== 'GET' && method !== 'HEAD') throw new DholeError('method-not-allowed')
}
