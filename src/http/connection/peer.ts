/** The other end of a connection. */
export interface Peer {
  /** IPv4 or IPv6. */
  readonly address: string
  readonly port: number
}

/** A listening socket. */
export interface Listener {
  readonly protocol: string | null
  /** Absent on a socket of the file system. */
  readonly port?: number | undefined
  /** Requests whose replies the connections have not taken yet, open event streams included. */
  readonly pendingRequests?: number | undefined
  requestIP(request: Request): Peer | null
  /** Makes the connection of a request a WebSocket. @returns whether it has */
  upgrade?(request: Request, options: { readonly data: never }): boolean
  /** Sets the idle timeout of the request's connection, in seconds; 0 disables it. */
  timeout(request: Request, seconds: number): void
}

/** A request and the connection it came by. */
export interface Connected {
  readonly request: Request
  /** `null` where the request came by no connection. */
  readonly listener: Listener | null
  /** Cache of `peerOf`; `undefined` until then. */
  peer: Peer | null | undefined
}

/**
 * The client or proxy at the other end, resolved once per request: the system call costs more than all other lookups.
 * @returns `null` where there is no connection, or none any more
 */
export function peerOf(connected: Connected): Peer | null {
  connected.peer ??= connected.listener?.requestIP(connected.request) ?? null
  return connected.peer
}

/** Distinguishes connections that exist at the same time; `undefined` where there is none, or none any more. */
export function connectionOf(connected: Connected): string | undefined {
  const peer = peerOf(connected)
  return peer ? `${peer.address} ${peer.port}` : undefined
}
