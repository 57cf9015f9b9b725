/** Servers that are not ours: they do not tell their address, so they are given a port and waited for. */
import { setTimeout as wait } from 'node:timers/promises'
import { CHILD_LIFETIME_MS } from '../harness/child.ts'
import type { Running } from './target.ts'

const ATTEMPTS = 200
const ATTEMPT_MS = 25

/** A command, and what is known of the server it starts. */
export interface Foreign {
  readonly command: readonly string[]
  readonly url: string
  /** Port it listens to when it is ready; where a server is published to, that for orders. */
  readonly port: number
}

/** @throws when it ends, or does not listen within 5 s */
export async function startForeign({ command, url, port }: Foreign): Promise<Running> {
  const child = Bun.spawn([...command], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
    timeout: CHILD_LIFETIME_MS,
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await child.exited
  }
  for (let attempt = 0; attempt < ATTEMPTS && child.exitCode === null; attempt++) {
    if (await isListening(port)) return { url, pid: child.pid, control: port, stop }
    await wait(ATTEMPT_MS)
  }
  await stop()
  throw new Error(`${command[0]} does not listen`)
}

export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}

async function isListening(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } })
    socket.end()
    return true
  } catch {
    return false
  }
}
