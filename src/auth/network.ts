import { isIPv4, isIPv6 } from 'node:net'

const GROUPS = 8
/** Groups of an IPv6 address that identify the network: one household or host has a whole /64. */
const NETWORK_GROUPS = 4
const MAPPED_PREFIX = '0:0:0:0:0:ffff'

/** Network of all text that is no address. */
const NO_ADDRESS = 'no address'

/** Port notation of proxies: after an IPv4 address, or after an address in brackets. */
const WITH_PORT = /^(?:\[([^\]]*)\]|(.*\.\d+))(?::\w*)?$/

/**
 * The network to count an address under: an IPv4 address, also one mapped to IPv6, or the /64 network of an IPv6 address.
 * Quotes, brackets, ports and zones are ignored. All other text is one network, so that invented text gains nothing.
 */
export function networkOf(address: string): string {
  const plain = withoutPort(address)
  if (isIPv4(plain)) return plain
  if (!isIPv6(plain)) return NO_ADDRESS
  const groups = groupsOf(plain)
  if (groups.slice(0, 6).join(':') === MAPPED_PREFIX) return dotted(groups.slice(6))
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`
}

function withoutPort(address: string): string {
  const unquoted = address.trim().replace(/^"(.*)"$/, '$1')
  const [, bracketed, ipv4] = WITH_PORT.exec(unquoted) ?? []
  const [plain = ''] = (bracketed ?? ipv4 ?? unquoted).split('%')
  return plain
}

/** The eight groups of an IPv6 address: lower case, without leading zeros. */
function groupsOf(address: string): string[] {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [left = [], right = []] = canonical.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(GROUPS - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right]
}

/** Two groups as an IPv4 address. */
function dotted(groups: readonly string[]): string {
  return groups
    .map((group) => Number.parseInt(group, 16))
    .map((number) => `${number >> 8}.${number & 0xff}`)
    .join('.')
}
