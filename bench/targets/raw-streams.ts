/** The limit of streams: a TLS socket that is written the bytes of each message, with no HTTP and no hub. */
import type { Socket } from 'bun'
import { openTree } from '../../src/open-tree.ts'
import { requestOf } from '../harness/child.ts'
import { databaseFile } from '../stock/blogs.ts'
import { listenForOrders } from './control.ts'
import { announce, type Certificate, startServer, type Target } from './target.ts'

interface RawRequest {
  readonly certificate: Certificate
  /** Whether messages published together are one write to each connection. Otherwise each is written by itself. */
  readonly joined?: boolean
  /** Where each message is written to a tree that nobody listens to, before it is sent. Default: nowhere. */
  readonly written?: { readonly dataDir: string; readonly path: string }
}

export function rawStreams(request: RawRequest): Target {
  return { name: 'Bun.listen', start: () => startServer('raw-streams.ts', request) }
}

const encoder = new TextEncoder()

/** As dhole's streams tell of a leaf. */
function message(text: string | null): string {
  return `event: put\ndata: {"path":"/","data":${JSON.stringify(text)}}\n\n`
}

function serve({ certificate, joined, written }: RawRequest): void {
  const sockets = new Set<Socket>()
  const first = encoder.encode(message(null))
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    tls: certificate,
    socket: {
      data(socket) {
        sockets.add(socket)
        send(socket, first)
      },
      close: (socket) => void sockets.delete(socket),
    },
  })
  const tell = (texts: readonly string[]) => {
    const messages = joined ? [texts.map(message).join('')] : texts.map(message)
    for (const each of messages) {
      const bytes = encoder.encode(each)
      for (const socket of sockets) send(socket, bytes)
    }
  }
  const database = written && openTree({ file: databaseFile(written.dataDir) })
  const control = listenForOrders(async (texts) => {
    if (database) await Promise.all(texts.map((text) => database.put(written.path, text)))
    tell(texts)
  })
  announce(`https://127.0.0.1:${server.port} ${control}`, async () => server.stop(true))
}

function send(socket: Socket, bytes: Uint8Array): void {
  // The load waits until all has arrived, so nothing piles up.
  if (socket.write(bytes) < bytes.length) throw new Error('A connection has no room')
}

if (import.meta.main) serve(requestOf<RawRequest>())
