/** An address to listen at, with the names of its settings. */
export interface Address {
  readonly host: string
  readonly port: number
  readonly setting: 'PORT' | 'HTTP_PORT' | 'METRICS_PORT'
}

/** Why nobody can listen at an address, and what to do about it. */
export function listenProblem(address: Address, cause: unknown): Error {
  return new Error(problemOf(address, cause), { cause })
}

function problemOf({ host, port, setting }: Address, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  // Port 0 is never in use: that is what the runtime says of a host that it does not know.
  if (code === 'EADDRNOTAVAIL' || code === 'EINVAL' || (code === 'EADDRINUSE' && port === 0)) {
    return `HOST: ${host} is no address of this machine`
  }
  if (code === 'EADDRINUSE') return `${setting}: port ${port} of ${host} is in use: stop who has it, or set another`
  if (code === 'EACCES' || code === 'EPERM') {
    return `${setting}: this user may not listen on port ${port}: set one above 1023, or grant CAP_NET_BIND_SERVICE`
  }
  const message = error instanceof Error ? error.message : String(error)
  return `${setting}: cannot listen on port ${port} of ${host}: ${message}`
}
