import { afterAll, beforeAll } from 'bun:test'
import { type Http2Client, http2Client } from './http2-client.ts'
import { type HttpsClient, type HttpsServer, startInProcess } from './https-server.ts'

/** A server of several tests. It runs during tests and hooks; before them only `call`, `http2` and `raw` can be passed on. */
export interface SharedServer extends HttpsClient {
  readonly dataDir: string
  /** As `call`, on one connection over HTTP/2. */
  readonly http2: HttpsClient['call']
}

/**
 * Starts a server before the tests of this file or `describe`, and stops it after them.
 * @param start default: the plugin with one open application named `app`
 */
export function withServer(start: () => Promise<HttpsServer> = startInProcess): SharedServer {
  let started: HttpsServer | undefined
  let client: Http2Client | undefined
  const running = (): HttpsServer => {
    if (started === undefined) throw new Error('the server runs during tests and hooks only')
    return started
  }
  beforeAll(async () => {
    started = await start()
  })
  afterAll(async () => {
    await client?.[Symbol.asyncDispose]()
    await started?.stop()
  })
  return {
    get url() {
      return running().url
    },
    get port() {
      return running().port
    },
    get ca() {
      return running().ca
    },
    get dataDir() {
      return running().dataDir
    },
    call: (method, target, options) => running().call(method, target, options),
    raw: (request, options) => running().raw(request, options),
    http2: (method, target, options) => {
      client ??= http2Client(running().url, running().ca)
      return client.call(method, target, options)
    },
  }
}
