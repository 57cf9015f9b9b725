import { expect } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runDhole } from '../../support/dhole-command.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'

/** A server of its own process, and requests to it as its owner. */
export interface Service extends ServerProcess, AsyncDisposable {
  /** To open streams with. */
  readonly port: number
  readonly ca: string
  /** The body of the answer, parsed. @throws Error for another status than 200 */
  ask(method: string, target: string, json?: unknown): Promise<unknown>
}

/** Starts `dhole serve` on a folder; the folder stays when it stops. */
export async function serve(dataDir: string, settings: Readonly<Record<string, string>> = {}): Promise<Service> {
  const server = await spawnServer({ LOG_LEVEL: 'error', ...settings, DATA_DIR: dataDir })
  const ca = readFileSync(server.certificate, 'utf8')
  const stop = async () => {
    server.kill('SIGTERM')
    await server.exited
  }
  return {
    ...server,
    port: Number(new URL(server.url).port),
    ca,
    ask: async (method, target, json) => {
      const body = json === undefined ? {} : { body: JSON.stringify(json) }
      const reply = await fetch(`${server.url}${target}`, { method, tls: { ca }, ...body })
      const text = await reply.text()
      if (reply.status !== 200) throw new Error(`${method} ${target}: ${reply.status} ${text}`)
      return JSON.parse(text) as unknown
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Runs a command and expects that it works. @returns what it printed */
export async function dhole(...args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await runDhole(args)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}

/** What lies in `apps` beside locks and what a running server needs. */
export function treesIn(dataDir: string): string[] {
  return readdirSync(join(dataDir, 'apps'))
    .filter((name) => !/-(lock|wal|shm)$/.test(name))
    .sort()
}

/** Changes one byte. */
export function flip(file: string): void {
  const bytes = readFileSync(file)
  bytes[5000] = (bytes[5000] ?? 0) ^ 1
  writeFileSync(file, bytes)
}
