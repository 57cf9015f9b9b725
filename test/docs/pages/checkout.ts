import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { environment, Terminal } from './shell.ts'

const ROOT = Bun.fileURLToPath(new URL('../../../', import.meta.url))
/** The parts of a checkout that the documents use. */
const PARTS = ['src', 'node_modules', 'package.json', 'drizzle']

/** A folder that looks like a checkout, the server that was started in it, and a terminal there. */
export interface Checkout extends AsyncDisposable {
  readonly server: ServerProcess
  readonly terminal: Terminal
  /** The folder. */
  readonly path: string
}

/** @param settings of the server, whose data is in the folder as a user has it */
export async function startCheckout(settings: Readonly<Record<string, string>> = {}): Promise<Checkout> {
  const dir = await tempDir()
  for (const part of PARTS) await symlink(join(ROOT, part), join(dir.path, part))
  const server = await spawnServer({ DATA_DIR: join(dir.path, 'data'), ...settings })
  const terminal = new Terminal(environment(server), dir.path)
  return {
    server,
    terminal,
    path: dir.path,
    async [Symbol.asyncDispose]() {
      await terminal.close()
      await server.stop()
      await dir[Symbol.asyncDispose]()
    },
  }
}
