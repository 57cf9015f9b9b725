/** The product with writes from its own process, so that a stream is all that crosses the network. */
import { Elysia } from 'elysia'
import { mount, openApplications } from '../../src/dhole.ts'
import type { DholeOptions } from '../../src/index.ts'
import { requestOf } from '../harness/child.ts'
import { listenForOrders } from './control.ts'
import { announce, type Certificate, startServer, type Target } from './target.ts'

interface DholeStreamsRequest {
  readonly certificate: Certificate
  readonly dataDir: string
  /** The leaf that what is published is written to. */
  readonly path: string
  /** Super secret of the application. Default: one that nobody knows. */
  readonly secret?: string
  /** Source of its rules. Default: everybody may do everything. */
  readonly rules?: string
}

export function dholeStreams(request: DholeStreamsRequest): Target {
  return { name: 'dhole', start: () => startServer('dhole-streams.ts', request) }
}

async function serve({ certificate, dataDir, path, secret, rules }: DholeStreamsRequest): Promise<void> {
  const access = rules === undefined ? { open: true } : { rules }
  const app = { ...access, ...(secret === undefined ? {} : { secret }) }
  const clients = { maxStreamsPerAddress: 0 }
  const options: DholeOptions = { dataDir, applications: { app }, clients }
  const { applications } = openApplications(options)
  const { database } = await applications.choose('app', '')
  const application = new Elysia({ handler: { standardHostname: false } })
    .use(mount(applications, options))
    .listen({ hostname: '127.0.0.1', port: 0, tls: certificate, http2: true, idleTimeout: 60 })
  const control = listenForOrders((texts) => Promise.all(texts.map((text) => database.put(path, text))))
  announce(`https://127.0.0.1:${application.server?.port} ${control}`, () => application.stop(true))
}

if (import.meta.main) await serve(requestOf<DholeStreamsRequest>())
