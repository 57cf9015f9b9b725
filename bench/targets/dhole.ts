/** The product: the plugin in an Elysia application, as a host would mount it. */
import { Elysia } from 'elysia'
import { type ApplicationOptions, dhole } from '../../src/index.ts'
import { type Observer, silentObserver } from '../../src/observer.ts'
import type { DatabaseServer } from '../../src/options.ts'
import { requestOf } from '../harness/child.ts'
import { LoopProbe } from '../harness/loop-probe.ts'
import { COVERING_INDEXES } from '../stock/places.ts'
import { announce, type Certificate, startServer, type Target } from './target.ts'

interface DholeRequest {
  readonly certificate: Certificate
  /** One of these: the folder of the files, or a PostgreSQL. */
  readonly dataDir?: string
  readonly database?: DatabaseServer
  /** Name of the application. Default `app`. */
  readonly name?: string
  /** Without the cache of finished text. Default `false`. */
  readonly cold?: boolean
  /** Watches the event loop; `GET /longest-turn` tells the longest turn since it was asked last. Default `false`. */
  readonly probe?: boolean
  /** Queries need an index, and the list of places has one by name. Default `false`: an index is made when needed. */
  readonly strict?: boolean
  /** That index of the list holds the places too. Default `false`. */
  readonly covering?: boolean
  /** Super secret of the application. Default: one that nobody knows. */
  readonly secret?: string
  /** Key of its text messages, for whose final states anybody may ask as often as they like. Default: a new one. */
  readonly smsKey?: string
  /** `GET /cpu` tells the processor time so far, all threads, in milliseconds. Default `false`. */
  readonly meter?: boolean
  /** `GET /commits` tells how long each transaction since the last call held the loop, in milliseconds. Default `false`. */
  readonly commits?: boolean
}

const STRICT: ApplicationOptions = { open: true, indexPolicy: 'require', indexes: { '/places': ['name'] } }
const COVERING: ApplicationOptions = { ...STRICT, indexes: COVERING_INDEXES }

export function dholeServer(request: DholeRequest): Target {
  return { name: request.cold ? 'dhole, no cache' : 'dhole', start: () => startServer('dhole.ts', request) }
}

function serve(request: DholeRequest): void {
  const {
    certificate,
    dataDir,
    database,
    name = 'app',
    cold,
    probe,
    strict,
    covering,
    secret,
    smsKey,
    meter,
    commits,
  } = request
  const settings = covering ? COVERING : strict ? STRICT : { open: true }
  const application = new Elysia({ handler: { standardHostname: false } })
  if (probe) {
    const loop = new LoopProbe()
    loop.start()
    application.get('/longest-turn', () => String(loop.take()))
  }
  if (meter) application.get('/cpu', () => String(cpuMs()))
  const held: number[] = []
  const observer: Observer = { ...silentObserver, batchCommitted: (_, milliseconds) => void held.push(milliseconds) }
  if (commits) application.get('/commits', () => Response.json(held.splice(0)))
  const keys = { ...(secret === undefined ? {} : { secret }), ...(smsKey === undefined ? {} : { smsKey }) }
  application
    .use(
      dhole({
        ...(dataDir === undefined ? {} : { dataDir }),
        ...(database === undefined ? {} : { database }),
        applications: { [name]: { ...settings, ...keys } },
        ...(smsKey === undefined ? {} : { sms: { intervalMs: 0 } }),
        storage: cold ? { cacheLength: 0 } : {},
        ...(commits ? { observer } : {}),
      }),
    )
    .listen({ hostname: '127.0.0.1', port: 0, tls: certificate, http2: true, idleTimeout: 60 })
  announce(`https://127.0.0.1:${application.server?.port}`, () => application.stop(true))
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

if (import.meta.main) serve(requestOf<DholeRequest>())
