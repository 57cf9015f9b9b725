/**
 * The listener alone: it keeps what it is sent in a map, checks nothing and bounds nothing. What hostile clients do to
 * an honest one here they do to it whatever stands behind the listener.
 */
import { join } from 'node:path'
import { defaultClientLimits } from '../../src/http/client-limits.ts'
import { ownCertificate } from '../../src/server/certificate.ts'

if (import.meta.main) {
  const { cert, key } = await ownCertificate(join(process.env['DATA_DIR'] ?? '', 'tls'), 'localhost')
  const texts = new Map<string, string>()
  const { port } = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert, key },
    http2: true,
    idleTimeout: defaultClientLimits.idleSeconds,
    fetch: (request) => {
      const { pathname } = new URL(request.url)
      if (request.method !== 'PUT') return new Response(texts.get(pathname) ?? 'null')
      return request.text().then((text) => {
        texts.set(pathname, text)
        return new Response(text)
      })
    },
    error: () => new Response('failed', { status: 500 }),
  })
  process.stdout.write(`listening on https://localhost:${port}\n`)
}
