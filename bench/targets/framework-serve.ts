/** What stands between the limit and any plugin of its kind: the framework, and a look at the target and the headers. */
import { Elysia } from 'elysia'
import { requestOf } from '../harness/child.ts'
import { answerHeaders as headers } from './answer-headers.ts'
import { announce, type Certificate, startServer, type Target } from './target.ts'

interface FrameworkRequest {
  readonly certificate: Certificate
  readonly text: string
}

/** Those that a GET of the protocol has to look at. */
const LOOKED_AT = ['accept', 'authorization', 'if-match', 'if-none-match', 'x-firebase-etag']

/** @param text what every GET is answered */
export function frameworkServe(certificate: Certificate, text: string): Target {
  const request: FrameworkRequest = { certificate, text }
  return { name: 'Elysia', start: () => startServer('framework-serve.ts', request) }
}

function serve({ certificate, text }: FrameworkRequest): void {
  const answer = (request: Request) => {
    const isPlain = LOOKED_AT.every((name) => !request.headers.has(name))
    return new Response(isPlain && request.url.endsWith('.json') && request.method === 'GET' ? text : 'null', {
      headers,
    })
  }
  const application = new Elysia({ handler: { standardHostname: false } })
    // A choice: the framework awaits a handler whose text is a bare call.
    .all('/*', ({ request }) => (request.url === '' ? new Response() : answer(request)), { parse: 'none' })
    .listen({ hostname: '127.0.0.1', port: 0, tls: certificate, http2: true, idleTimeout: 60 })
  announce(`https://127.0.0.1:${application.server?.port}`, () => application.stop(true))
}

if (import.meta.main) serve(requestOf<FrameworkRequest>())
