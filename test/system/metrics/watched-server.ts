import { SMS_KEY } from '../../protocol/sms/service.ts'
import { type Answer, type CallOptions, clientOf, type HttpsServer, SECRET } from '../../support/https-server.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { samplesOf } from './page.ts'

/** `dhole serve` in a process of its own, and what it counts. */
export interface WatchedServer extends AsyncDisposable, Pick<HttpsServer, 'call' | 'port' | 'ca' | 'url'> {
  readonly process: ServerProcess
  /** What `/metrics` shows to the owner. */
  scrape(): Promise<ReadonlyMap<string, number>>
  /** Value of the plain listener of that name in the log. */
  origin(name: 'plain HTTP' | 'metrics'): string
}

export const OWNER = { Authorization: `Bearer ${SECRET}` }

export async function startWatched(settings: Readonly<Record<string, string>> = {}): Promise<WatchedServer> {
  const server = await spawnServer({ APP_SECRET: SECRET, SMS_KEY, SMS_INTERVAL_MS: '0', ...settings })
  const port = Number(new URL(server.url).port)
  const client = clientOf(port, await Bun.file(server.certificate).text())
  return {
    ...client,
    process: server,
    scrape: async () => samplesOf((await client.call('GET', '/metrics', { headers: OWNER })).text),
    origin: (name) => new RegExp(`${name} on (http://[\\d.:]+)`).exec(server.output())?.[1] ?? '',
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

/** A request over plain HTTP. */
export async function callPlain(url: string, method = 'GET', { headers }: CallOptions = {}): Promise<Answer> {
  const reply = await fetch(url, { method, ...(headers === undefined ? {} : { headers: { ...headers } }) })
  return { status: reply.status, headers: reply.headers, text: await reply.text() }
}

/** Lines of the log, each an object. */
export function logLines({ process }: Pick<WatchedServer, 'process'>): readonly Record<string, unknown>[] {
  const lines = process.output().split('\n')
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Record<string, unknown>)
}
