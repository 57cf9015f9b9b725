import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'

/** Settings that name the server. */
interface NameSettings {
  readonly HOST: string
  readonly TLS_NAMES?: string | undefined
  readonly BASE_DOMAIN?: string | undefined
}

/** Names and addresses that lead to this machine from itself. */
const LOOPBACK = ['localhost', '*.localhost', '127.0.0.1', '::1']
/** Values of `HOST` with which the server listens on every address, and where this machine reaches it then. */
const EVERY_ADDRESS: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])
const IPV6_LINK_LOCAL = /^fe80:/i
/** A host name, perhaps with `*` as its first label. */
const HOST_NAME = /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i
const LONGEST_HOST_NAME = 253

/**
 * The entries of `TLS_NAMES`: host names in lower case, perhaps with `*` as first label, and IP addresses.
 * @throws Error that names an entry that is neither
 */
export function tlsNames({ TLS_NAMES }: Pick<NameSettings, 'TLS_NAMES'>): readonly string[] {
  const entries = (TLS_NAMES ?? '').split(',').map((entry) => entry.trim())
  const wrong = entries.find((entry) => entry !== '' && !isName(entry))
  if (wrong !== undefined) throw new Error(`TLS_NAMES: ${JSON.stringify(wrong)} is no host name and no IP address`)
  return entries.filter((entry) => entry !== '').map((entry) => entry.toLowerCase())
}

/** What the made certificate is for: host names, perhaps with `*` as first label, and IP addresses; each once. */
export function certificateNames(config: NameSettings): readonly string[] {
  const { HOST, BASE_DOMAIN } = config
  const host = EVERY_ADDRESS.has(HOST) ? machineNames(HOST) : [HOST]
  const applications = BASE_DOMAIN === undefined ? [] : [BASE_DOMAIN, `*.${BASE_DOMAIN}`]
  const names = [...LOOPBACK, ...host, ...tlsNames(config), ...applications]
  return [...new Set(names.filter(isName).map((name) => name.toLowerCase()))]
}

/**
 * Where clients can open the server, best first, such as `https://localhost:8443`.
 * @param port that it listens on
 */
export function openUrls(config: Pick<NameSettings, 'HOST' | 'TLS_NAMES'>, port: number): readonly string[] {
  const { HOST } = config
  const reached = [HOST, EVERY_ADDRESS.get(HOST)].some((host) => host !== undefined && LOOPBACK.includes(host))
  const hosts = EVERY_ADDRESS.has(HOST) ? machineNames(HOST) : [HOST]
  const named = tlsNames(config).filter((name) => !name.startsWith('*'))
  return [...new Set([...(reached ? ['localhost'] : []), ...named, ...hosts])].map((host) => origin(host, port))
}

/** Where a program on this machine reaches the server, such as `https://127.0.0.1:8443`. */
export function localUrl({ HOST }: Pick<NameSettings, 'HOST'>, port: number): string {
  return origin(EVERY_ADDRESS.get(HOST) ?? HOST, port)
}

function origin(host: string, port: number): string {
  return `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

/** The host name of this machine and the addresses that others can reach it at. */
function machineNames(host: string): readonly string[] {
  const addresses = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    // On the IPv4 wildcard nothing listens on IPv6; on that of IPv6 both do.
    .filter(({ internal, family }) => !internal && (host === '::' || family === 'IPv4'))
    .map(({ address }) => address)
    // Those need the name of an interface, which no URL has.
    .filter((address) => !IPV6_LINK_LOCAL.test(address))
  return [hostname(), ...addresses]
}

function isName(text: string): boolean {
  return isIP(text) !== 0 || (text.length <= LONGEST_HOST_NAME && HOST_NAME.test(text) && !/^[\d.]+$/.test(text))
}
