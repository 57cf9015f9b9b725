import { join } from 'node:path'
import { defaultClientLimits } from '../../../src/http/limits/limit-settings.ts'
import { ownCertificate } from '../../../src/server/tls/certificate.ts'

/** `Bun.serve` as the server has it, with something else behind it; says where it listens as the server does. */
export async function listen(fetch: (request: Request) => Response | Promise<Response>): Promise<void> {
  const { cert, key } = await ownCertificate(join(process.env['DATA_DIR'] ?? '', 'tls'), ['localhost', '127.0.0.1'])
  const { port } = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert, key },
    http2: true,
    idleTimeout: defaultClientLimits.idleSeconds,
    fetch,
    error: () => new Response('failed', { status: 500 }),
  })
  process.stdout.write(`listening on https://localhost:${port}\n`)
}
