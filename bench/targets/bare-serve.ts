/** The limit over HTTPS: `Bun.serve` alone. GET answers a prebuilt text, PUT the body it was sent. */
import { requestOf } from '../harness/child.ts'
import { largeList, objectOf1Kb } from '../stock/blogs.ts'
import { batchAnswer, HANDED_OVER, handoverAnswer } from '../stock/messages.ts'
import { firstByName, LIST_CHILDREN } from '../stock/places.ts'
import { answerHeaders as headers } from './answer-headers.ts'
import { announce, type Certificate, startServer, type Target } from './target.ts'

/** What a GET answers. */
export type Content = 'leaf' | 'object' | 'large' | 'places' | 'batch' | 'handover'

interface BareRequest {
  readonly certificate: Certificate
  readonly content: Content
}

const texts: Readonly<Record<Content, () => string>> = {
  leaf: () => JSON.stringify('Post 1234 on harbour'),
  object: () => JSON.stringify(objectOf1Kb(0)),
  large: () => JSON.stringify(largeList(0)),
  places: () => JSON.stringify(firstByName(LIST_CHILDREN)),
  batch: () => batchAnswer(0),
  handover: () => handoverAnswer(HANDED_OVER),
}

export function bareServe(certificate: Certificate, content: Content): Target {
  return { name: 'Bun.serve', start: () => startServer('bare-serve.ts', { certificate, content }) }
}

function serve({ certificate, content }: BareRequest): void {
  const text = texts[content]()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: certificate,
    http2: true,
    idleTimeout: 60,
    fetch(request) {
      if (request.method === 'GET') return new Response(text, { headers })
      return request.text().then((body) => new Response(body, { headers }))
    },
  })
  announce(`https://127.0.0.1:${server.port}`, () => server.stop(true))
}

if (import.meta.main) serve(requestOf<BareRequest>())
