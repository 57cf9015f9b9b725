/**
 * The listener with next to nothing behind it: only the honest client is answered, and nothing is read of what others
 * send. What he notices of them here is the doing of the listener and of the machine.
 */
import { join } from 'node:path'
import { defaultClientLimits } from '../../src/http/client-limits.ts'
import { ownCertificate } from '../../src/server/certificate.ts'

if (import.meta.main) {
  const { cert, key } = await ownCertificate(join(process.env['DATA_DIR'] ?? '', 'tls'), 'localhost')
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert, key },
    http2: true,
    idleTimeout: defaultClientLimits.idleSeconds,
    fetch: (request) => {
      // Hostile clients do not name the port.
      if (new URL(request.url).port === '') return new Promise<Response>(() => {})
      return new Response('"kept"')
    },
  })
  process.stdout.write(`listening on https://localhost:${server.port}\n`)
}
