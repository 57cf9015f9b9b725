import { codeOf, messageOf } from '../../files/system-error.ts'

/** Address of a listener, and the name of its setting. */
export interface Address {
  readonly host: string
  readonly port: number
  readonly setting: 'PORT' | 'HTTP_PORT' | 'METRICS_PORT'
}

/** Error of a listener for the operator: reason and remedy. */
export function listenProblem(address: Address, cause: unknown): Error {
  return new Error(problemOf(address, cause), { cause })
}

function problemOf({ host, port, setting }: Address, error: unknown): string {
  const code = codeOf(error)
  // The runtime reports an unknown host as EADDRINUSE; port 0 is never in use.
  if (code === 'EADDRNOTAVAIL' || code === 'EINVAL' || (code === 'EADDRINUSE' && port === 0)) {
    return `HOST: ${host} is no address of this machine`
  }
  if (code === 'EADDRINUSE') return `${setting}: port ${port} of ${host} is in use: stop who has it, or set another`
  if (code === 'EACCES' || code === 'EPERM') {
    return `${setting}: this user may not listen on port ${port}: set one above 1023, or grant CAP_NET_BIND_SERVICE`
  }
  return `${setting}: cannot listen on port ${port} of ${host}: ${messageOf(error)}`
}
