import type { Server } from 'bun'
import { confirmClose } from '../../http/response/reply.ts'
import type { MetricsPage } from '../../http/system/metrics-page.ts'
import { listenProblem } from './listen-problem.ts'

export type MetricsServer = Server<undefined>

const LOOPBACK = '127.0.0.1'
/** Names of this machine. A web page under another name that resolves to this machine must not read the metrics. */
const OWN_NAME = /^(localhost|127(\.\d{1,3}){3})(:\d+)?$/i
const TEXT = { 'Content-Type': 'text/plain; charset=utf-8' }

/**
 * Serves the metrics to this machine, without encryption and without credentials.
 * @param port 0 takes a free one
 * @param idleTimeout time after which an idle connection is closed, in seconds
 * @throws Error with a message for the operator when the port cannot be used
 */
export function listenForMetrics(port: number, page: MetricsPage, idleTimeout: number): MetricsServer {
  try {
    return Bun.serve({
      hostname: LOOPBACK,
      port,
      reusePort: false,
      idleTimeout,
      maxRequestBodySize: 0,
      fetch: async (request) => confirmClose(request, await answer(request, page)),
      error: () => new Response('failed\n', { status: 500, headers: TEXT }),
    })
  } catch (error) {
    throw listenProblem({ host: LOOPBACK, port, setting: 'METRICS_PORT' }, error)
  }
}

async function answer(request: Request, page: MetricsPage): Promise<Response> {
  if (!OWN_NAME.test(request.headers.get('host') ?? '')) return refusal(403, 'ask by the name of this machine')
  if (new URL(request.url).pathname !== '/metrics') return refusal(404, 'only /metrics is here')
  if (request.method !== 'GET' && request.method !== 'HEAD') return refusal(405, 'only GET and HEAD', 'GET, HEAD')
  const { text, contentType } = await page.print()
  return new Response(text, { headers: { 'Content-Type': contentType } })
}

function refusal(status: number, text: string, allow?: string): Response {
  return new Response(`${text}\n`, { status, headers: allow === undefined ? TEXT : { ...TEXT, Allow: allow } })
}
