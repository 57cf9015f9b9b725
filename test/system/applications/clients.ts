import { clientOf, type HttpsServer } from '../../support/https-server.ts'
import type { ServerProcess } from '../../support/server-process.ts'

/** The ways a test speaks to a server in a process of its own. */
export async function clientOfProcess(
  server: ServerProcess,
): Promise<Pick<HttpsServer, 'url' | 'port' | 'ca' | 'call' | 'raw'>> {
  return clientOf(Number(new URL(server.url).port), await Bun.file(server.certificate).text())
}
