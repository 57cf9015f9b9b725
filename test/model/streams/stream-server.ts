import type { DholeOptions } from '../../../src/index.ts'
import { storageOf } from '../../support/engine.ts'
import { clientOf, type HttpsClient, SECRET } from '../../support/https-server.ts'
import { sharedCertificate } from '../../support/shared-certificate.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { ChildAnswer, ChildRequest, Look } from './stream-child.ts'

const SCRIPT = Bun.fileURLToPath(new URL('./stream-child.ts', import.meta.url))

/** Connections of a process to its database. */
const CONNECTIONS = 2

/** The plugin in a process of its own that tells what it holds. */
export interface StreamServer extends AsyncDisposable, HttpsClient {
  look(): Promise<Look>
  /** Begins to look for the greatest memory anew. */
  forgetPeak(): Promise<void>
}

/**
 * Lets a process open every connection to its database that it ever has, by writes and reads at once: none comes later as a
 * descriptor of something else.
 */
async function openConnections({ call }: HttpsClient): Promise<void> {
  const requests = Array.from({ length: 16 * CONNECTIONS }, (_, number) =>
    number % 2 === 0 ? call('PUT', `/warm/${number}.json`, { body: '1' }) : call('GET', `/warm/${number}.json`),
  )
  for (const { status } of await Promise.all(requests)) {
    if (status !== 200) throw new Error(`the server is not warm: ${status}`)
  }
  const { status } = await call('DELETE', '/warm.json')
  if (status !== 200) throw new Error(`the server is not warm: ${status}`)
}

export async function startStreamServer(options: DholeOptions = {}): Promise<StreamServer> {
  const dir = await tempDir()
  const tls = await sharedCertificate()
  const answers: PromiseWithResolvers<ChildAnswer>[] = []
  const child = Bun.spawn([process.execPath, SCRIPT], {
    stdout: 'inherit',
    stderr: 'inherit',
    ipc: (answer: ChildAnswer) => answers.shift()?.resolve(answer),
    onExit: (_, status, signal) => {
      for (const { reject } of answers) reject(new Error(`the child ended: ${status ?? signal}`))
    },
  })
  const ask = async <Kind extends ChildAnswer['kind']>(
    request: ChildRequest,
    kind: Kind,
  ): Promise<ChildAnswer & { kind: Kind }> => {
    const answered = Promise.withResolvers<ChildAnswer>()
    answers.push(answered)
    child.send(request)
    const answer = await answered.promise
    if (answer.kind !== kind) throw new Error(`${kind} was asked for, ${answer.kind} came`)
    return answer as ChildAnswer & { kind: Kind }
  }
  const { database } = storageOf(dir.path)
  const served = {
    applications: { app: { open: true, secret: SECRET } },
    ...(database === undefined ? {} : { database: { ...database, connections: CONNECTIONS } }),
    ...options,
    dataDir: dir.path,
  }
  const { port } = await ask({ kind: 'serve', options: served, tls }, 'listening')
  const client = clientOf(port, tls.cert)
  if (database !== undefined) await openConnections(client)
  return {
    ...client,
    look: () => ask({ kind: 'look' }, 'look'),
    forgetPeak: async () => {
      await ask({ kind: 'forget-peak' }, 'forgotten')
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await child.exited
      await dir[Symbol.asyncDispose]()
    },
  }
}
