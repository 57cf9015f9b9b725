import type { Target } from '../url/target.ts'
import { isLoopback, type OwnMachine } from './own-machine.ts'
import { type Connected, connectionOf, peerOf } from './peer.ts'
import { Proxies } from './proxies.ts'

export interface TransportOptions {
  /** Whether requests from this machine need no encryption. Default false. */
  readonly plainFromHere?: boolean | undefined
  /** Called once, for the first peer that sends `X-Forwarded-For` and is not a configured proxy. */
  readonly onUnnamed?: ((peer: string) => void) | undefined
}

/** Requests checked for proxies that are not configured: the first ones show them, and the check is not free. */
const LOOKS_FOR_UNNAMED = 10_000

/**
 * Resolves where a request comes from, behind proxies too. Requests are secure over TLS, or when a configured proxy says
 * that they were; such a proxy is also believed about the address of its client.
 * @see docs/reference/protocol.md#ground-rules
 */
export class Transport {
  readonly #trusted: Proxies
  readonly #machine: OwnMachine
  readonly #plainFromHere: boolean
  readonly #onUnnamed: ((peer: string) => void) | undefined
  #looksLeft: number

  /**
   * @param proxies addresses and ranges whose `X-Forwarded-Proto` and `X-Forwarded-For` count
   * @param machine recognises pages of this machine
   * @throws Error for an entry that is neither an address nor a range
   */
  constructor(proxies: readonly string[], machine: OwnMachine, options: TransportOptions = {}) {
    this.#trusted = new Proxies(proxies)
    this.#machine = machine
    this.#plainFromHere = options.plainFromHere ?? false
    this.#onUnnamed = options.onUnnamed
    this.#looksLeft = options.onUnnamed === undefined ? 0 : LOOKS_FOR_UNNAMED
  }

  /** Address of the client; that of the proxy only when the proxy does not name the client. */
  addressOf(connected: Connected): string | undefined {
    const peer = peerAddress(connected)
    if (peer === undefined || !this.#trusted.has(peer)) return peer
    // Each proxy appends the address it received from; entries before the last untrusted one may be forged.
    const hops = connected.request.headers.get('x-forwarded-for')?.split(',') ?? []
    return hops.map(addressIn).findLast((hop) => hop !== '' && !this.#trusted.has(hop)) ?? peer
  }

  /** Id of the connection, where all its requests have the same `addressOf`; ended connections share one id. */
  ownConnectionOf(connected: Connected): string | undefined {
    return this.#trusted.isEmpty ? (connectionOf(connected) ?? '') : undefined
  }

  /** Whether the request comes from this machine. */
  isLocal(connected: Connected): boolean {
    const peer = peerAddress(connected)
    // A proxy on this machine forwards requests of others.
    return peer !== undefined && !this.#trusted.has(peer) && isLoopback(peer)
  }

  /**
   * Refuses requests sent by pages of other sites, where only programs and pages of this machine are allowed.
   * @throws `permission-denied`
   */
  refuseForeign(request: Request): void {
    this.#machine.check(request)
  }

  /** Whether the request was encrypted all the way, or need not be. */
  isSecure(target: Target, connected: Connected): boolean {
    if (this.#looksLeft > 0) this.#lookForUnnamed(connected)
    if ((target.scheme ?? connected.listener?.protocol) === 'https') return true
    if (this.#plainFromHere && this.isLocal(connected)) return true
    if (this.#trusted.isEmpty) return false
    if (connected.request.headers.get('x-forwarded-proto')?.toLowerCase() !== 'https') return false
    const peer = peerAddress(connected)
    return peer !== undefined && this.#trusted.has(peer)
  }

  #lookForUnnamed(connected: Connected): void {
    this.#looksLeft--
    if (!connected.request.headers.has('x-forwarded-for')) return
    const peer = peerAddress(connected)
    if (peer === undefined || this.#trusted.has(peer)) return
    this.#looksLeft = 0
    this.#onUnnamed?.(peer)
  }
}

function peerAddress(connected: Connected): string | undefined {
  return peerOf(connected)?.address.replace(/^::ffff:/, '')
}

const IN_BRACKETS = /^"?\[([^\]]+)\]/
const WITH_PORT = /^"?([\d.]+)(?::\d+)?"?$/

/** The address of a hop, which some proxies write with a port, in brackets or in quotation marks. */
function addressIn(hop: string): string {
  const text = hop.trim()
  return IN_BRACKETS.exec(text)?.[1] ?? WITH_PORT.exec(text)?.[1] ?? text
}
