import type { Applications } from '../../applications/applications.ts'
import { DholeError } from '../../error.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { callerOf, type Origin } from '../request/caller.ts'
import { withRequestId } from '../request/request-id.ts'
import { dressedReply } from '../response/reply.ts'
import type { Target } from '../url/target.ts'

/** What was counted, as text. */
export interface PrintedMetrics {
  readonly text: string
  /** Value of the header `Content-Type`. */
  readonly contentType: string
}

/** Prints what was counted. */
export interface MetricsPage {
  print(): Promise<PrintedMetrics>
}

/** What the routes about the service itself need to answer. */
export interface SystemRoutesOptions {
  readonly applications: Applications
  /** Served at `/metrics`; nothing is there without it. */
  readonly metrics: MetricsPage | undefined
}

const HEALTH = '/health'
const READY = '/ready'
const METRICS = '/metrics'
const ALIVE = '{"status":"ok"}'

/** Whether a path below the mount point asks about the service itself. Asked for every request of the tree as well. */
export function isSystem(rawPath: string): boolean {
  return rawPath === HEALTH || rawPath === READY || rawPath === METRICS
}

/**
 * Answers whoever watches over the service. Health and readiness are told to everybody, without encryption too: they
 * hold nothing secret, and those who ask often speak nothing else.
 * @param isSecure whether the request came encrypted
 * @throws `method-not-allowed`; where there are metrics `https-required`, `permission-denied` and as `Authenticator.authenticate`
 * @see docs/reference/protocol.md#health-readiness-and-metrics
 */
export function answerSystem(
  { applications, metrics }: SystemRoutesOptions,
  origin: Origin,
  target: Target,
  isSecure: boolean,
): Awaitable<Response> {
  const { rawPath } = target
  if (rawPath === METRICS && !isSecure) throw new DholeError('https-required')
  if (rawPath === METRICS && metrics === undefined) throw new DholeError('json-suffix-missing')
  const { method } = origin.request
  if (method !== 'GET' && method !== 'HEAD') throw new DholeError('method-not-allowed')
  const reply = (text: string, status: number) => dressedReply(text, {}, status)
  if (rawPath === HEALTH) return reply(ALIVE, 200)
  if (rawPath === METRICS && metrics !== undefined) return metricsReply(applications, metrics, origin, target)
  return applications.readiness().then((readiness) => {
    if (readiness === 'ready') return reply('{"status":"ok"}', 200)
    return withRequestId(reply(JSON.stringify({ status: 'unavailable', reason: readiness }), 503), origin.request)
  })
}

async function metricsReply(
  applications: Applications,
  metrics: MetricsPage,
  origin: Origin,
  { raw }: Target,
): Promise<Response> {
  const application = await applications.choose({ name: undefined, host: '' })
  const caller = await callerOf(application, origin, raw.values)
  // Whoever shows nothing is no guest here, but has not guessed either.
  if (caller.kind === 'anybody') throw new DholeError('bad-token')
  if (caller.kind !== 'admin') throw new DholeError('permission-denied')
  const { text, contentType } = await metrics.print()
  const reply = dressedReply(text, {})
  reply.headers.set('Content-Type', contentType)
  return reply
}
