import { isIPv4, isIPv6 } from 'node:net'

const GROUPS = 8
/** Groups of an IPv6 address that name the network: one household or host has all of a /64. */
const NETWORK_GROUPS = 4
const MAPPED_PREFIX = '0:0:0:0:0:ffff'

/**
 * Whom to count for an address: the IPv4 address, also when it comes in IPv6's clothes, or the /64 network of an IPv6
 * address. Other text stands for itself.
 */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%')
  if (isIPv4(plain) || !isIPv6(plain)) return plain
  const groups = groupsOf(plain)
  if (groups.slice(0, 6).join(':') === MAPPED_PREFIX) return dotted(groups.slice(6))
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`
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
