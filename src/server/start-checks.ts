import { existsSync } from 'node:fs'
import { connect, socketPath } from '../admin/control/control-client.ts'
import { OtherServerError } from '../admin/control/control-server.ts'
import type { Config } from './config/settings.ts'
import { type Address, listenProblem } from './listeners/listen-problem.ts'

/**
 * Checks the folder and the ports before the start creates a folder, a secret or a certificate.
 * @throws Error when another server has the folder, or a port is in use or not allowed
 */
export async function checkStart({ DATA_DIR, HOST, PORT, HTTP_PORT, METRICS_PORT }: Config): Promise<void> {
  await checkFolder(DATA_DIR)
  checkPort({ host: HOST, port: PORT, setting: 'PORT' })
  if (HTTP_PORT !== undefined) checkPort({ host: HOST, port: HTTP_PORT, setting: 'HTTP_PORT' })
  if (METRICS_PORT !== undefined) checkPort({ host: '127.0.0.1', port: METRICS_PORT, setting: 'METRICS_PORT' })
}

async function checkFolder(dataDir: string): Promise<void> {
  const path = socketPath(dataDir)
  if (path === undefined || !existsSync(path)) return
  const server = await connect(path)
  if (server !== undefined) throw new OtherServerError(dataDir, await server.call('process', {}))
}

/** Opens a port and closes it again. */
function checkPort(address: Address): void {
  try {
    const { host: hostname, port } = address
    void Bun.serve({ hostname, port, reusePort: false, fetch: () => new Response() }).stop(true)
  } catch (error) {
    throw listenProblem(address, error)
  }
}
