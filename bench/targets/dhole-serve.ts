/** The product as a user starts it: `dhole serve` on a folder. */
import { fileURLToPath } from 'node:url'
import { CHILD_LIFETIME_MS } from '../harness/child.ts'
import type { Running, Target } from './target.ts'

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const LISTENING = /listening on (https:\S+)\n/

interface DholeServeRequest {
  readonly dataDir: string
  /** PEM files, so that none are made. */
  readonly certificateFile: string
  readonly keyFile: string
}

export function dholeServe(request: DholeServeRequest): Target {
  return { name: 'dhole serve', start: () => start(request) }
}

async function start({ dataDir, certificateFile, keyFile }: DholeServeRequest): Promise<Running> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    PORT: '0',
    DATA_DIR: dataDir,
    TLS_CERT: certificateFile,
    TLS_KEY: keyFile,
    LOG_LEVEL: 'error',
  }
  const child = Bun.spawn([process.execPath, MAIN, 'serve'], {
    env,
    stdout: 'pipe',
    stderr: 'inherit',
    timeout: CHILD_LIFETIME_MS,
  })
  const url = await addressIn(child.stdout)
  const stop = async () => {
    child.kill('SIGTERM')
    await child.exited
  }
  return { url, pid: child.pid, control: Number.NaN, stop }
}

async function addressIn(output: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let printed = ''
  for await (const chunk of output.values({ preventCancel: true })) {
    printed += decoder.decode(chunk, { stream: true })
    const url = LISTENING.exec(printed)?.[1]
    if (url !== undefined) return url
  }
  throw new Error(`dhole serve did not start: ${printed}`)
}
