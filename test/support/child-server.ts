import type { DholeOptions } from '../../src/index.ts'
import { clientOf, type HttpsClient, LISTENER_BODY_BYTES } from './https-server.ts'
import type { ChildAnswer, ChildRequest } from './plugin-child.ts'
import { sharedCertificate } from './shared-certificate.ts'

const SCRIPT = Bun.fileURLToPath(new URL('./plugin-child.ts', import.meta.url))

/** The plugin in a process of its own, which can be killed. */
export interface ChildServer extends AsyncDisposable, HttpsClient {
  /** Greatest memory the process has held so far, in bytes. */
  peakMemory(): Promise<number>
  /** Ends it at once, as a power cut of the process would. */
  kill(): Promise<void>
  signal(name: NodeJS.Signals): void
  /** Stops it in order. Resolves when the process has ended, however it did. */
  stop(): Promise<void>
}

export interface ChildSettings {
  /** Arguments of the runtime. */
  readonly runtime?: readonly string[]
  /** Variables beside those of this process. */
  readonly environment?: Readonly<Record<string, string>>
  /** What kills it. Default: SIGKILL. */
  readonly killSignal?: NodeJS.Signals
  /** Gets the way to end the process, long before it listens. */
  readonly onSpawned?: (kill: () => Promise<void>) => void
}

/** @throws Error when the process ends before it listens */
export async function startChild(options: DholeOptions, settings: ChildSettings = {}): Promise<ChildServer> {
  const tls = await sharedCertificate()
  let answered = Promise.withResolvers<ChildAnswer>()
  const child = Bun.spawn([process.execPath, ...(settings.runtime ?? []), SCRIPT], {
    env: { ...process.env, ...settings.environment },
    stdout: 'inherit',
    stderr: 'inherit',
    ipc: (answer: ChildAnswer) => answered.resolve(answer),
    onExit: (_, status, signal) => answered.reject(new Error(`the child ended: ${status ?? signal}`)),
  })
  const ask = (request: ChildRequest): Promise<ChildAnswer> => {
    answered = Promise.withResolvers()
    child.send(request)
    return answered.promise
  }
  const kill = async (): Promise<void> => {
    child.kill(settings.killSignal ?? 'SIGKILL')
    await child.exited
  }
  answered.promise.catch(() => {})
  settings.onSpawned?.(kill)
  const listening = await ask({ kind: 'serve', options, tls, maxBodyBytes: LISTENER_BODY_BYTES })
  if (listening.kind !== 'listening') throw new Error('the child does not listen')
  return {
    ...clientOf(listening.port, tls.cert),
    peakMemory: async () => {
      const answer = await ask({ kind: 'peak-memory' })
      return answer.kind === 'peak-memory' ? answer.bytes : 0
    },
    kill: () => {
      answered.promise.catch(() => {})
      return kill()
    },
    signal: (name) => child.kill(name),
    stop: async () => {
      answered.promise.catch(() => {})
      child.send({ kind: 'stop' } satisfies ChildRequest)
      await child.exited
    },
    [Symbol.asyncDispose]: kill,
  }
}
