import { BlockList, isIPv4, isIPv6 } from 'node:net'

const MAPPED = /^::ffff:(?=\d+\.)/i
const PREFIX = /^\d{1,3}$/

/** Addresses and ranges of trusted proxies. */
export class Proxies {
  readonly #addresses = new Set<string>()
  readonly #ranges = new BlockList()
  /** Whether there are none. */
  readonly isEmpty: boolean

  /**
   * @param entries IP addresses, and ranges such as `10.0.0.0/8` or `fd00::/8`
   * @throws Error that names the first entry that is neither
   */
  constructor(entries: readonly string[]) {
    this.isEmpty = entries.length === 0
    for (const entry of entries) this.#add(entry.trim())
  }

  /** @param address IPv4 or IPv6; other text is no proxy */
  has(address: string): boolean {
    if (this.#addresses.has(address)) return true
    const family = familyOf(address)
    return family !== undefined && this.#ranges.check(address, family)
  }

  #add(entry: string): void {
    const [written = '', prefix, ...rest] = entry.split('/')
    const address = written.replace(MAPPED, '')
    const family = familyOf(address)
    if (family === undefined || rest.length > 0) refuse(entry)
    if (prefix === undefined) {
      this.#addresses.add(address)
      this.#ranges.addAddress(address, family)
      return
    }
    const bits = family === 'ipv4' ? 32 : 128
    if (!PREFIX.test(prefix) || Number(prefix) > bits || address !== written) refuse(entry)
    this.#ranges.addSubnet(address, Number(prefix), family)
  }
}

/** `undefined` for other text, and for addresses with a zone, which are local to this machine. */
function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  if (isIPv4(address)) return 'ipv4'
  return isIPv6(address) && !address.includes('%') ? 'ipv6' : undefined
}

function refuse(entry: string): never {
  throw new Error(`expected IP addresses and ranges such as 10.0.0.0/8, found ${JSON.stringify(entry)}`)
}
