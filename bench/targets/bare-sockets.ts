/** The limit of sockets: WebSockets of `Bun.serve`, with no session and no tree that can be listened to. */
import type { ServerWebSocket } from 'bun'
import { openTree } from '../../src/open-tree.ts'
import { requestOf } from '../harness/child.ts'
import { databaseFile } from '../stock/blogs.ts'
import { listenForOrders } from './control.ts'
import { announce, type Certificate, startServer, type Target } from './target.ts'

interface BareSocketsRequest {
  readonly certificate: Certificate
  /** Default: a free one. */
  readonly port?: number
  /**
   * `echo` sends every frame back. `send` answers listens and writes with a text made before, and sends what is written to
   * all that listen.
   */
  readonly kind: 'echo' | 'send'
  /** Where what is written is put into a tree that nobody listens to, before it is sent. Default: nowhere. */
  readonly writtenTo?: string
}

export function bareSockets(request: BareSocketsRequest): Target {
  return { name: 'Bun.serve', start: () => startServer('bare-sockets.ts', request) }
}

const HELLO =
  '{"t":"c","d":{"t":"h","d":{"ts":1700000000000,"v":"5","h":"127.0.0.1:8443","s":"00000000-0000-4000-8000-000000000000"}}}'
const ANSWER = '{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}'

type Message = (socket: ServerWebSocket, text: string) => unknown

interface Request {
  readonly d: { readonly a: string; readonly b: { readonly p: string; readonly d?: unknown } }
}

function serve({ certificate, port = 0, kind, writtenTo }: BareSocketsRequest): void {
  const listeners = new Set<ServerWebSocket>()
  const database = writtenTo === undefined ? undefined : openTree({ file: databaseFile(writtenTo) })
  const echo: Message = (socket, text) => socket.sendText(text)
  const send: Message = async (socket, text) => {
    const { a, b } = (JSON.parse(text) as Request).d
    if (a === 'q') listeners.add(socket)
    else if (a === 'p') {
      if (database !== undefined) await database.put(b.p.split('/').slice(1), b.d)
      const push = listeners.size === 0 ? '' : JSON.stringify({ t: 'd', d: { a: 'd', b: { p: b.p, d: b.d } } })
      for (const listener of listeners) sendWhole(listener, push)
    }
    sendWhole(socket, ANSWER)
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    tls: certificate,
    fetch: (request, self) => (self.upgrade(request) ? undefined : new Response()),
    websocket: {
      maxPayloadLength: 64 * 1024,
      open: (socket) => void socket.sendText(HELLO),
      message: kind === 'echo' ? (echo as never) : (send as never),
      close: (socket) => void listeners.delete(socket),
    },
  })
  const control = listenForOrders(async () => {})
  announce(`https://127.0.0.1:${server.port} ${control}`, () => server.stop(true))
}

function sendWhole(socket: ServerWebSocket, text: string): void {
  // A frame that waits is sent later; only one that was dropped is lost.
  if (socket.sendText(text) === 0) throw new Error('A connection has no room')
}

if (import.meta.main) serve(requestOf<BareSocketsRequest>())
