/** The product for SDKs, with writes from its own process beside those of clients. */
import { Elysia } from 'elysia'
import { mount, openApplications } from '../../src/dhole.ts'
import type { DholeOptions } from '../../src/index.ts'
import { requestOf } from '../harness/child.ts'
import { listenForOrders } from './control.ts'
import { announce, type Certificate, startServer, type Target } from './target.ts'

interface DholeSocketsRequest {
  readonly certificate: Certificate
  readonly dataDir: string
  /** Default: a free one. */
  readonly port?: number
}

/** As `dhole serve` bounds it. */
const MAX_FRAME_BYTES = 64 * 1024
/** Places that clients and the process write to. */
export const PLACES = 512

export function placePath(place: number): readonly string[] {
  return ['places', `place-${place % PLACES}`]
}

export function dholeSockets(request: DholeSocketsRequest): Target {
  return { name: 'dhole', start: () => startServer('dhole-sockets.ts', request) }
}

async function serve({ certificate, dataDir, port = 0 }: DholeSocketsRequest): Promise<void> {
  const clients = { maxSockets: 0, maxSocketsPerAddress: 0 }
  const options: DholeOptions = { dataDir, applications: { app: { open: true } }, clients }
  const { applications } = openApplications(options)
  const { database } = await applications.choose('app', '')
  const application = new Elysia({
    handler: { standardHostname: false },
    websocket: { maxPayloadLength: MAX_FRAME_BYTES },
  })
    .use(mount(applications, options))
    .listen({ hostname: '127.0.0.1', port, tls: certificate, http2: true, idleTimeout: 60 })
  let place = 0
  const control = listenForOrders((texts) => Promise.all(texts.map((text) => database.put(placePath(place++), text))))
  announce(`https://127.0.0.1:${application.server?.port} ${control}`, () => application.stop(true))
}

if (import.meta.main) await serve(requestOf<DholeSocketsRequest>())
