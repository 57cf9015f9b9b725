import type { DholeOptions } from '../../src/index.ts'
import { certificate, clientOf, type HttpsServer, LISTENER_BODY_BYTES } from './https-server.ts'
import type { ChildAnswer, ChildRequest } from './plugin-child.ts'

const SCRIPT = Bun.fileURLToPath(new URL('./plugin-child.ts', import.meta.url))

/** The plugin in a process of its own, which can be killed. */
export interface ChildServer extends AsyncDisposable, Pick<HttpsServer, 'url' | 'ca' | 'port' | 'call' | 'raw'> {
  /** Greatest memory the process has held so far, in bytes. */
  peakMemory(): Promise<number>
  /** Ends it at once, as a power cut of the process would. */
  kill(): Promise<void>
}

export async function startChild(options: DholeOptions): Promise<ChildServer> {
  const tls = await certificate()
  let answered = Promise.withResolvers<ChildAnswer>()
  const child = Bun.spawn([process.execPath, SCRIPT], {
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
    child.kill('SIGKILL')
    await child.exited
  }
  answered.promise.catch(() => {})
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
    [Symbol.asyncDispose]: kill,
  }
}
