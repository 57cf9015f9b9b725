import { type ClientHttp2Session, connect } from 'node:http2'

/** A connection over HTTP/2 whose client takes no byte of any body. */
export function stalled(url: string, ca: string): ClientHttp2Session & Disposable {
  const session = connect(url, { ca, settings: { initialWindowSize: 0 } })
  // The server may end it.
  session.on('error', () => {})
  return Object.assign(session, { [Symbol.dispose]: () => session.destroy() })
}

/** Status of an answer whose body is not read; `undefined` where the server ended it first. */
export function begin(session: ClientHttp2Session, path: string): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>()
  const stream = session.request({ ':path': path })
  stream.on('response', (headers) => resolve(headers[':status']))
  stream.on('error', () => resolve(undefined))
  stream.on('close', () => resolve(undefined))
  stream.pause()
  return promise
}
