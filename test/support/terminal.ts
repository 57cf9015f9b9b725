import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MAIN = Bun.fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** `dhole serve` at a terminal of its own. */
export interface TerminalServer {
  readonly url: string
  readonly dataDir: string
  /** Everything the terminal has shown so far. */
  output(): string
  /** Ends the process and removes its folder. */
  stop(): Promise<void>
}

/** Starts a server whose outputs are a terminal, and waits until it listens. @throws Error with what was shown */
export async function startAtTerminal(settings: Readonly<Record<string, string>> = {}): Promise<TerminalServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'dhole-terminal-'))
  const listening = Promise.withResolvers<string>()
  const decoder = new TextDecoder()
  let shown = ''
  const child = Bun.spawn([process.execPath, MAIN, 'serve'], {
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', DATA_DIR: dataDir, ...settings },
    terminal: {
      cols: 200,
      rows: 50,
      data: (_, bytes) => {
        shown += decoder.decode(bytes, { stream: true })
        const url = /listening on (https:\S+)\r?\n/.exec(shown)?.[1]
        if (url !== undefined) listening.resolve(url)
      },
    },
  })
  const ended = child.exited.then((status) => {
    listening.reject(new Error(`the server ended with status ${status}:\n${shown}`))
  })
  const url = await listening.promise
  return {
    url,
    dataDir,
    output: () => shown,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
