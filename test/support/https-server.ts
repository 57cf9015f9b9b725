import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { Elysia } from 'elysia'
import { type Database, openDatabase } from '../../src/embedded.ts'
import { type DholeOptions, dhole } from '../../src/index.ts'
import type { Certificate } from '../../src/server/tls/certificate.ts'
import { databaseReleased, isOnPostgres, storageOf } from './engine.ts'
import { sharedCertificate } from './shared-certificate.ts'
import { tempDir } from './temp-dir.ts'

export const SECRET = 'a secret of the test suite'

/** Above every limit of ours, so that a body too big is refused by the service and not by the listener. */
export const LISTENER_BODY_BYTES = 512 * 1024 * 1024

export interface CallOptions {
  /** Text and bytes travel as they are. */
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** An answer with its body read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The ways a test speaks to a listener on this machine. */
export interface HttpsClient {
  readonly url: string
  readonly port: number
  readonly ca: string
  call(method: string, target: string, options?: CallOptions): Promise<Answer>
  /** Sends bytes as they are over TLS and returns all that came back until the server closed, or `closed`. */
  raw(request: string | Uint8Array, options?: RawOptions): Promise<string>
}

/** The plugin behind a real HTTPS listener, on files of its own. */
export interface HttpsServer extends HttpsClient, AsyncDisposable {
  readonly dataDir: string
  stop(): Promise<void>
}

export interface RawOptions {
  /** Cuts the connection as soon as the bytes are out. */
  readonly cut?: boolean
}

/** Starts the plugin with one open application named `app`, unless options say otherwise. */
export async function startInProcess(options: DholeOptions = {}, certificate?: Certificate): Promise<HttpsServer> {
  const dir = await tempDir()
  const { cert, key } = certificate ?? (await sharedCertificate())
  const tls = { cert, key }
  const dataDir = options.dataDir ?? dir.path
  const applications = { app: { open: true, secret: SECRET } }
  const app = new Elysia({ handler: { standardHostname: false } })
    .use(dhole({ applications, failedCredentials: 0, ...storageOf(dataDir), ...options, dataDir }))
    .listen({ hostname: '127.0.0.1', port: 0, tls, http2: true, maxRequestBodySize: LISTENER_BODY_BYTES })
  const port = app.server?.port ?? 0
  const stop = async (): Promise<void> => {
    await app.stop(true)
    await filesClosed(dataDir)
    await dir[Symbol.asyncDispose]()
  }
  return { ...clientOf(port, tls.cert), dataDir, stop, [Symbol.asyncDispose]: stop }
}

/** Waits until the plugin has let go of its storage: the framework does not wait for hooks of a stop. */
export async function filesClosed(dataDir: string): Promise<void> {
  if (isOnPostgres(dataDir)) return databaseReleased(dataDir)
  for (const name of readdirSync(join(dataDir, 'apps')).filter((file) => file.endsWith('.sqlite'))) {
    const file = join(dataDir, 'apps', name)
    for (let open = tryOpen(file); ; open = tryOpen(file)) {
      if (open !== undefined) {
        await open.close()
        break
      }
      await new Promise(setImmediate)
    }
  }
}

function tryOpen(file: string): Database | undefined {
  try {
    return openDatabase({ file })
  } catch {
    return undefined
  }
}

export function clientOf(port: number, ca: string): HttpsClient {
  const url = `https://localhost:${port}`
  return {
    url,
    port,
    ca,
    call: (method, target, options) => call(`${url}${target}`, ca, method, options),
    raw: (request, options) => rawRequest(port, ca, request, options),
  }
}

async function call(url: string, ca: string, method: string, options: CallOptions = {}): Promise<Answer> {
  const { body, headers } = options
  const init = { method, redirect: 'manual', tls: { ca } } as const
  const reply = await fetch(url, {
    ...init,
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    ...(body === undefined ? {} : { body }),
  })
  return { status: reply.status, headers: reply.headers, text: await reply.text() }
}

function rawRequest(port: number, ca: string, bytes: string | Uint8Array, { cut }: RawOptions = {}): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const chunks: Buffer[] = []
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' }, () => {
    if (cut) socket.write(bytes, () => socket.destroy())
    else socket.write(bytes)
  })
  const finish = () => resolve(chunks.length === 0 ? 'closed' : Buffer.concat(chunks).toString('utf8'))
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', finish)
  socket.on('close', finish)
  return promise
}
