import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import type { Listening } from './event-source.ts'

/** Streams on one HTTP/2 connection that nobody reads beyond their beginning. */
export interface IdleStreams {
  /** Bytes received on each. */
  readonly received: readonly number[]
  /** Ends each stream and leaves the connection open. */
  cancel(): Promise<void>
  /** Breaks the connection off. */
  drop(): Promise<void>
}

/** Opens streams and waits until each has begun. */
export async function openIdle(server: Listening, targets: readonly string[]): Promise<IdleStreams> {
  const session = connect(`https://localhost:${server.port}`, { ca: server.ca })
  const received = targets.map(() => 0)
  const streams = await Promise.all(
    targets.map((target, index) => openOne(session, target, (length) => add(received, index, length))),
  )
  return {
    received,
    cancel: async () => {
      await Promise.all(streams.map((stream) => ended(stream, () => stream.close(constants.NGHTTP2_CANCEL))))
    },
    drop: () => ended(session, () => session.destroy()),
  }
}

function add(received: number[], index: number, length: number): void {
  received[index] = (received[index] ?? 0) + length
}

function ended(what: ClientHttp2Session | ClientHttp2Stream, end: () => void): Promise<void> {
  if (what.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    what.on('error', () => {})
    what.on('close', () => resolve())
    end()
  })
}

function openOne(
  session: ClientHttp2Session,
  target: string,
  count: (length: number) => void,
): Promise<ClientHttp2Stream> {
  const { promise, resolve, reject } = Promise.withResolvers<ClientHttp2Stream>()
  const stream = session.request({
    accept: 'text/event-stream',
    [constants.HTTP2_HEADER_METHOD]: 'GET',
    [constants.HTTP2_HEADER_PATH]: target,
  })
  stream.on('data', (bytes: Buffer) => {
    count(bytes.length)
    resolve(stream)
  })
  stream.on('error', reject)
  return promise
}
