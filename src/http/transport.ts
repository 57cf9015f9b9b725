import type { Target } from './target.ts'

/** Tells whether a request reached us encrypted, all the way. */
export interface Transport {
  /**
   * @param address of the peer, `undefined` when unknown
   */
  isSecure(target: Target, request: Request, address: () => string | undefined): boolean
}

/**
 * A request is secure over TLS, or when a proxy named here says that it was.
 * @param proxies addresses whose `X-Forwarded-Proto` counts
 * @see docs/protocol.md#ground-rules
 */
export function trustProxies(proxies: readonly string[]): Transport {
  const trusted = new Set(proxies)
  return {
    isSecure: (target, request, address) => {
      if (target.secure) return true
      if (trusted.size === 0 || request.headers.get('x-forwarded-proto')?.toLowerCase() !== 'https') return false
      const peer = address()
      return peer !== undefined && trusted.has(peer.replace(/^::ffff:/, ''))
    },
  }
}
