/** A server to be measured: a child process on a free port of 127.0.0.1, over TLS. */
import { fileURLToPath } from 'node:url'
import { CHILD_LIFETIME_MS, inputOf } from '../harness/child.ts'

export interface Running {
  readonly url: string
  readonly pid: number
  /** Port that takes orders, where a server publishes. */
  readonly control: number
  stop(): Promise<void>
}

export interface Target {
  readonly name: string
  start(): Promise<Running>
}

/** PEM texts of the certificate of one run. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** Starts a script of this folder with a request as its input and waits for the address it prints, and the port for orders. */
export async function startServer(script: string, request: object): Promise<Running> {
  const file = fileURLToPath(new URL(script, import.meta.url))
  const child = Bun.spawn([process.execPath, file], { stdin: inputOf(request), stdout: 'pipe', stderr: 'inherit' })
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  if (value === undefined) throw new Error(`${script} did not start`)
  reader.releaseLock()
  const stop = async () => {
    child.kill('SIGTERM')
    await child.exited
  }
  const [url = '', control] = new TextDecoder().decode(value).trim().split(' ')
  return { url, pid: child.pid, control: Number(control), stop }
}

/** In the child: tells the address (and port for orders), and ends when asked or when its time is up. */
export function announce(url: string, stop: () => Promise<unknown>): void {
  const end = () => stop().finally(() => process.exit(0))
  process.once('SIGTERM', end)
  setTimeout(end, CHILD_LIFETIME_MS)
  console.log(url)
}
