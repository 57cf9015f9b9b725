import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'

/** Settings with names of the server. */
interface NameSettings {
  readonly HOST: string
  readonly TLS_NAMES?: string | undefined
  readonly BASE_DOMAIN?: string | undefined
}

/** Loopback names and addresses. */
const LOOPBACK = ['localhost', '*.localhost', '127.0.0.1', '::1']
/** Values of `HOST` that mean every address, and their loopback address. */
const EVERY_ADDRESS: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])
const IPV6_LINK_LOCAL = /^fe80:/i
/** A host name; its first label may be `*`. */
const HOST_NAME = /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i
const LONGEST_HOST_NAME = 253

/**
 * Host names, in lower case and with `*` as possible first label, and IP addresses of `TLS_NAMES`.
 * @throws Error that names a wrong entry
 */
export function tlsNames({ TLS_NAMES }: Pick<NameSettings, 'TLS_NAMES'>): readonly string[] {
  const entries = (TLS_NAMES ?? '').split(',').map((entry) => entry.trim())
  const wrong = entries.find((entry) => entry !== '' && !isName(entry))
  if (wrong !== undefined) throw new Error(`TLS_NAMES: ${JSON.stringify(wrong)} is no host name and no IP address`)
  return entries.filter((entry) => entry !== '').map((entry) => entry.toLowerCase())
}

/** Distinct host names and IP addresses for the generated certificate. */
export function certificateNames(config: NameSettings): readonly string[] {
  const { HOST, BASE_DOMAIN } = config
  const host = EVERY_ADDRESS.has(HOST) ? machineNames(HOST) : [HOST]
  const applications = BASE_DOMAIN === undefined ? [] : [BASE_DOMAIN, `*.${BASE_DOMAIN}`]
  const names = [...LOOPBACK, ...host, ...tlsNames(config), ...applications]
  return [...new Set(names.filter(isName).map((name) => name.toLowerCase()))]
}

/**
 * Addresses of the server for clients, best first, such as `https://localhost:8443`.
 * @param port port of the HTTPS listener
 */
export function openUrls(config: Pick<NameSettings, 'HOST' | 'TLS_NAMES'>, port: number): readonly string[] {
  const { HOST } = config
  const reached = [HOST, EVERY_ADDRESS.get(HOST)].some((host) => host !== undefined && LOOPBACK.includes(host))
  const hosts = EVERY_ADDRESS.has(HOST) ? machineNames(HOST) : [HOST]
  const named = tlsNames(config).filter((name) => !name.startsWith('*'))
  return [...new Set([...(reached ? ['localhost'] : []), ...named, ...hosts])].map((host) => origin(host, port))
}

/** Address of the server for programs on this machine, such as `https://127.0.0.1:8443`. */
export function localUrl({ HOST }: Pick<NameSettings, 'HOST'>, port: number): string {
  return origin(EVERY_ADDRESS.get(HOST) ?? HOST, port)
}

function origin(host: string, port: number): string {
  return `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

/** The host name and the external addresses of this machine. */
function machineNames(host: string): readonly string[] {
  const addresses = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    // The IPv4 wildcard excludes IPv6; the IPv6 wildcard includes both.
    .filter(({ internal, family }) => !internal && (host === '::' || family === 'IPv4'))
    .map(({ address }) => address)
    // Link-local addresses need the name of an interface, which a URL cannot hold.
    .filter((address) => !IPV6_LINK_LOCAL.test(address))
  return [hostname(), ...addresses]
}

function isName(text: string): boolean {
  return isIP(text) !== 0 || (text.length <= LONGEST_HOST_NAME && HOST_NAME.test(text) && !/^[\d.]+$/.test(text))
}
