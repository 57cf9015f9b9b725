import { DholeError } from '../../error.ts'
import type { Exchange } from '../exchange.ts'
import type { AdminService } from './admin-service.ts'

const FOREIGN = 'Pages of other sites may not use the admin API'

/**
 * Refuses requests that pages of other origins make a browser send, those of the same host on another port included, and
 * requests of this machine under a host name that is not its own, which may resolve to it (DNS rebinding).
 * @throws `admin-refused`, `permission-denied`
 */
export function refuseForeignPages(exchange: Exchange, { isLoopbackOnly }: AdminService): void {
  const { request, transport, target } = exchange
  if (isLoopbackOnly && transport.isLocal(exchange)) transport.refuseForeign(request)
  const site = request.headers.get('sec-fetch-site')
  // Only browsers send this header, and no page can set it.
  if (site === 'same-origin') return
  if (site !== null && site !== 'none') throw new DholeError('admin-refused', FOREIGN)
  const origin = request.headers.get('origin')
  if (origin === null) return
  if (URL.parse(origin)?.host !== hostOf(request.headers.get('host') ?? target.host)) {
    throw new DholeError('admin-refused', FOREIGN)
  }
}

/** In the form in which `URL` writes it. */
function hostOf(host: string): string | undefined {
  return URL.parse(`https://${host}/`)?.host
}
