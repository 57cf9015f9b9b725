/** The other end of a connection. */
export interface Peer {
  /** IPv4 or IPv6. */
  readonly address: string
  readonly port: number
}

/** What knows who is at the other end. */
export interface Switchboard {
  requestIP(request: Request): Peer | null
}

const PEER = Symbol('peer')
type Known = Request & { [PEER]?: Peer | null }

/**
 * Who is at the other end: the client, or a proxy. Asked of the system once for each request, as that takes longer than
 * all else one may want to know of it.
 * @returns `null` where there is no connection, or none any more
 */
export function peerOf(request: Request, listener: Switchboard | null): Peer | null {
  const known: Known = request
  known[PEER] ??= listener?.requestIP(request) ?? null
  return known[PEER]
}

/** Tells one connection from others that are there at the same time; `undefined` where there is none, or none any more. */
export function connectionOf(request: Request, listener: Switchboard | null): string | undefined {
  const peer = peerOf(request, listener)
  return peer ? `${peer.address} ${peer.port}` : undefined
}
