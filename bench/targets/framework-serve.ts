/** The least a plugin of its kind has to do beside the limit: the framework, a look at the headers, finding a text by the URL. */
import { Elysia } from 'elysia'
import { requestOf } from '../harness/child.ts'
import { answerHeaders as headers } from './answer-headers.ts'
import { announce, type Certificate, startServer, type Target } from './target.ts'

interface FrameworkRequest {
  readonly certificate: Certificate
}

/** Those that a GET of the protocol has to look at. */
const LOOKED_AT = ['accept', 'authorization', 'if-match', 'if-none-match', 'x-firebase-etag']

/** Every URL has a text of its own, made when it is first asked for. */
export function frameworkServe(certificate: Certificate): Target {
  const request: FrameworkRequest = { certificate }
  return { name: 'Elysia', start: () => startServer('framework-serve.ts', request) }
}

function serve({ certificate }: FrameworkRequest): void {
  const texts = new Map<string, string>()
  const textAt = (url: string) => {
    const known = texts.get(url)
    if (known !== undefined) return known
    const made = JSON.stringify(`Post ${1000 + texts.size} on harbour`)
    texts.set(url, made)
    return made
  }
  const answer = (request: Request) => {
    const isPlain = LOOKED_AT.every((name) => !request.headers.has(name))
    return new Response(isPlain && request.method === 'GET' ? textAt(request.url) : 'null', { headers })
  }
  const application = new Elysia({ handler: { standardHostname: false } })
    // A choice: the framework awaits a handler whose text is a bare call.
    .all('/*', ({ request }) => (request.url === '' ? new Response() : answer(request)), { parse: 'none' })
    .listen({ hostname: '127.0.0.1', port: 0, tls: certificate, http2: true, idleTimeout: 60 })
  announce(`https://127.0.0.1:${application.server?.port}`, () => application.stop(true))
}

if (import.meta.main) serve(requestOf<FrameworkRequest>())
