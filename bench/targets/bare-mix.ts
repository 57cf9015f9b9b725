/** The limit of the mix: `Bun.serve` alone. It reads prebuilt texts, sends back what is put, and tells the streams of it. */
import { requestOf } from '../harness/child.ts'
import { OBJECT_PATH, objectOf1Kb, urlOf } from '../stock/blogs.ts'
import { firstByName } from '../stock/places.ts'
import { answerHeaders } from './answer-headers.ts'
import { announce, type Certificate, startServer, type Target } from './target.ts'

interface BareMixRequest {
  readonly certificate: Certificate
  /** Children of the list that queries choose from. */
  readonly size: number
}

type Stream = ReadableStreamDefaultController<Uint8Array>

const streamHeaders = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' }
const encoder = new TextEncoder()
const OBJECT_TARGET = urlOf(OBJECT_PATH)

export function bareMix(request: BareMixRequest): Target {
  return { name: 'Bun.serve', start: () => startServer('bare-mix.ts', request) }
}

function serve({ certificate, size }: BareMixRequest): void {
  const object = JSON.stringify(objectOf1Kb(0))
  const places = JSON.stringify(firstByName(size))
  const leaf = JSON.stringify('Post 1234 on harbour')
  const streams = new Map<string, Set<Stream>>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: certificate,
    idleTimeout: 0,
    fetch(request) {
      const { url, method, headers } = request
      if (method === 'PUT') return request.text().then((body) => put(streams.get(url), body))
      if (headers.get('accept') === 'text/event-stream') return listen(streams, url)
      if (url.includes('?')) return respond(places)
      return respond(url.endsWith(OBJECT_TARGET) ? object : leaf)
    },
  })
  announce(`https://127.0.0.1:${server.port}`, () => server.stop(true))
}

function respond(text: string): Response {
  return new Response(text, { headers: answerHeaders })
}

function put(listeners: Set<Stream> | undefined, text: string): Response {
  if (listeners !== undefined) {
    const bytes = message(text)
    for (const stream of listeners) stream.enqueue(bytes)
  }
  return respond(text)
}

function listen(streams: Map<string, Set<Stream>>, url: string): Response {
  const listeners = streams.get(url) ?? new Set<Stream>()
  streams.set(url, listeners)
  let opened: Stream | undefined
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      opened = stream
      listeners.add(stream)
      stream.enqueue(message('null'))
    },
    cancel() {
      if (opened !== undefined) listeners.delete(opened)
    },
  })
  return new Response(body, { headers: streamHeaders })
}

/** As dhole's streams tell of a leaf. */
function message(json: string): Uint8Array {
  return encoder.encode(`event: put\ndata: {"path":"/","data":${json}}\n\n`)
}

if (import.meta.main) serve(requestOf<BareMixRequest>())
