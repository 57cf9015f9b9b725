import { Elysia } from 'elysia'
import { type DholeOptions, dhole } from '../../src/index.ts'
import type { Certificate } from '../../src/server/tls/certificate.ts'

/** What the parent asks of this process, which serves the plugin over HTTPS until it is killed. */
export type ChildRequest =
  | { readonly kind: 'serve'; readonly options: DholeOptions; readonly tls: Certificate; readonly maxBodyBytes: number }
  | { readonly kind: 'peak-memory' }
  | { readonly kind: 'stop' }

export type ChildAnswer =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'peak-memory'; readonly bytes: number }

function tell(answer: ChildAnswer): void {
  process.send?.(answer)
}

if (import.meta.main) {
  let app: Elysia | undefined
  process.on('message', (request: ChildRequest) => {
    switch (request.kind) {
      case 'serve': {
        const { options, tls, maxBodyBytes } = request
        app = new Elysia({ handler: { standardHostname: false } })
          .use(dhole(options))
          .listen({ hostname: '127.0.0.1', port: 0, tls, http2: true, maxRequestBodySize: maxBodyBytes })
        tell({ kind: 'listening', port: app.server?.port ?? 0 })
        return
      }
      case 'peak-memory':
        // Kibibytes.
        tell({ kind: 'peak-memory', bytes: process.resourceUsage().maxRSS * 1024 })
        return
      case 'stop':
        // Without the channel nothing holds the process but what the plugin still has to do.
        app?.stop(true).finally(() => process.disconnect?.())
        return
      default:
        request satisfies never
    }
  })
}
