import type { Target } from './target.ts'

/** What the listener knows of a connection. */
export interface Listener {
  readonly protocol: string | null
  requestIP(request: Request): { readonly address: string } | null
  /** Sets how long the connection may be silent, in seconds; 0 for ever. */
  timeout(request: Request, seconds: number): void
}

/** Tells whether a request reached us encrypted, all the way. */
export interface Transport {
  /** @param listener that took the request, if one did */
  isSecure(target: Target, request: Request, listener: Listener | null): boolean
}

/**
 * A request is secure over TLS, or when a proxy named here says that it was.
 * @param proxies addresses whose `X-Forwarded-Proto` counts
 * @see docs/protocol.md#ground-rules
 */
export function trustProxies(proxies: readonly string[]): Transport {
  const trusted = new Set(proxies)
  return {
    isSecure: (target, request, listener) => {
      if ((target.scheme ?? listener?.protocol) === 'https') return true
      if (trusted.size === 0 || request.headers.get('x-forwarded-proto')?.toLowerCase() !== 'https') return false
      const peer = listener?.requestIP(request)?.address
      return peer !== undefined && trusted.has(peer.replace(/^::ffff:/, ''))
    },
  }
}
