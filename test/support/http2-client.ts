import { type ClientHttp2Session, connect, constants } from 'node:http2'
import type { Answer, CallOptions } from './https-server.ts'

/** One HTTP/2 connection; requests on it run side by side. */
export interface Http2Client extends AsyncDisposable {
  call(method: string, target: string, options?: CallOptions): Promise<Answer>
}

export function http2Client(url: string, ca: string): Http2Client {
  const session = connect(url, { ca })
  return {
    call: (method, target, options) => request(session, method, target, options),
    [Symbol.asyncDispose]: () => new Promise((resolve) => session.close(() => resolve())),
  }
}

function request(
  session: ClientHttp2Session,
  method: string,
  target: string,
  { body, headers }: CallOptions = {},
): Promise<Answer> {
  if (body instanceof ReadableStream) throw new TypeError('streams are sent over HTTP/1.1 only')
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const lowerCase = Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const stream = session.request({
    ...lowerCase,
    [constants.HTTP2_HEADER_METHOD]: method,
    [constants.HTTP2_HEADER_PATH]: target,
  })
  const answer = { status: 0, headers: new Headers() }
  const chunks: Buffer[] = []
  stream.on('response', (received) => {
    answer.status = Number(received[constants.HTTP2_HEADER_STATUS])
    for (const [name, value] of Object.entries(received)) {
      if (!name.startsWith(':')) answer.headers.set(name, String(value))
    }
  })
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  stream.on('end', () => resolve({ ...answer, text: Buffer.concat(chunks).toString('utf8') }))
  stream.on('error', reject)
  stream.end(body)
  return promise
}
