import type { Target } from '../url/target.ts'
import { isLoopback, type OwnMachine } from './own-machine.ts'
import { connectionOf, peerOf, type Switchboard } from './peer.ts'
import { Proxies } from './proxies.ts'

export interface TransportOptions {
  /** Whether what comes from this machine need not be encrypted. Default false. */
  readonly plainFromHere?: boolean | undefined
  /** Hears once of a peer that sends `X-Forwarded-For` and is not named: it may be a proxy all the same. */
  readonly onUnnamed?: ((peer: string) => void) | undefined
}

/** Requests that are looked at for proxies nobody has named: the first ones show them, and the look is not free. */
const LOOKS_FOR_UNNAMED = 10_000

/** What the listener knows of a connection. */
export interface Listener extends Switchboard {
  readonly protocol: string | null
  /** It listens at; absent on a socket of the file system. */
  readonly port?: number | undefined
  /** Sets how long the connection may be silent, in seconds; 0 for ever. */
  timeout(request: Request, seconds: number): void
}

/** Tells how a request has reached us. */
export interface Transport {
  /** Address of the client; that of the proxy only when the proxy does not tell. */
  addressOf(request: Request, listener: Listener | null): string | undefined
  /** Its connection, where all that comes by it has the same `addressOf`; those that have ended are one. */
  ownConnectionOf(request: Request, listener: Listener | null): string | undefined
  /** Whether it comes from this very machine. */
  isLocal(request: Request, listener: Listener | null): boolean
  /**
   * Refuses what a page of another site has sent, where only programs and pages of this machine may.
   * @throws `permission-denied`
   */
  refuseForeign(request: Request): void
  /** Whether it was encrypted, all the way, or need not be. @param listener that took the request, if one did */
  isSecure(target: Target, request: Request, listener: Listener | null): boolean
}

/**
 * A request is secure over TLS, or when a proxy named here says that it was; such a proxy is believed too when it says
 * whom it speaks for.
 * @param proxies addresses and ranges whose `X-Forwarded-Proto` and `X-Forwarded-For` count
 * @param machine tells the pages of this machine from others
 * @throws Error for what is neither an address nor a range
 * @see docs/reference/protocol.md#ground-rules
 */
export function trustProxies(
  proxies: readonly string[],
  machine: OwnMachine,
  { plainFromHere = false, onUnnamed }: TransportOptions = {},
): Transport {
  const trusted = new Proxies(proxies)
  let looksLeft = onUnnamed === undefined ? 0 : LOOKS_FOR_UNNAMED
  const lookForUnnamed = (request: Request, listener: Listener | null) => {
    looksLeft--
    if (!request.headers.has('x-forwarded-for')) return
    const peer = peerAddress(request, listener)
    if (peer === undefined || trusted.has(peer)) return
    looksLeft = 0
    onUnnamed?.(peer)
  }
  const isLocal: Transport['isLocal'] = (request, listener) => {
    const peer = peerAddress(request, listener)
    // A proxy on this machine speaks for others.
    return peer !== undefined && !trusted.has(peer) && isLoopback(peer)
  }
  const addressOf: Transport['addressOf'] = (request, listener) => {
    const peer = peerAddress(request, listener)
    if (peer === undefined || !trusted.has(peer)) return peer
    // Each proxy adds whom it has heard from; what stands before the last stranger may be made up.
    const hops = request.headers.get('x-forwarded-for')?.split(',') ?? []
    return hops.map(addressIn).findLast((hop) => hop !== '' && !trusted.has(hop)) ?? peer
  }
  return {
    addressOf,
    ownConnectionOf: (request, listener) => (!trusted.isEmpty ? undefined : (connectionOf(request, listener) ?? '')),
    isLocal,
    refuseForeign: (request) => machine.check(request),
    isSecure: (target, request, listener) => {
      if (looksLeft > 0) lookForUnnamed(request, listener)
      if ((target.scheme ?? listener?.protocol) === 'https') return true
      if (plainFromHere && isLocal(request, listener)) return true
      if (trusted.isEmpty || request.headers.get('x-forwarded-proto')?.toLowerCase() !== 'https') return false
      const peer = peerAddress(request, listener)
      return peer !== undefined && trusted.has(peer)
    },
  }
}

function peerAddress(request: Request, listener: Listener | null): string | undefined {
  return peerOf(request, listener)?.address.replace(/^::ffff:/, '')
}

const IN_BRACKETS = /^"?\[([^\]]+)\]/
const WITH_PORT = /^"?([\d.]+)(?::\d+)?"?$/

/** The address of a hop, which some proxies write with a port, in brackets or in quotation marks. */
function addressIn(hop: string): string {
  const text = hop.trim()
  return IN_BRACKETS.exec(text)?.[1] ?? WITH_PORT.exec(text)?.[1] ?? text
}
