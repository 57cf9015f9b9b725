import { DholeError } from '../../error.ts'

/** Names and addresses that a server on a loopback address answers to, beside those of loopback. */
export interface OwnNames {
  /** Host names, perhaps with `*` as first label, and IP addresses; without ports. */
  readonly names?: readonly string[] | undefined
  /** Domain whose subdomains name applications. */
  readonly baseDomain?: string | undefined
}

const FOREIGN_PAGE =
  'Pages of other sites may not use what is open to this machine only: serve the page from localhost, or give the tree rules'
const FOREIGN_HOST =
  'What is open to this machine only is not served under this host name: use localhost, name it in TLS_NAMES, or give the tree rules'

/**
 * Tells requests of programs and pages of this machine from those that a page of another site has a browser send: a
 * browser on this machine connects from loopback whatever page asks it to.
 * @see docs/reference/protocol.md#open-to-this-machine
 */
export class OwnMachine {
  readonly #names: ReadonlySet<string>
  readonly #baseDomain: string | undefined
  /** Begin of the URL of the last request whose host was accepted: most requests come under one name. */
  #accepted = '\n'

  constructor({ names = [], baseDomain }: OwnNames = {}) {
    this.#names = new Set(names.map(plainName))
    this.#baseDomain = baseDomain === undefined ? undefined : plainName(baseDomain)
  }

  /**
   * Refuses what a page of another site asks for, unless it is a navigation, and what comes under a host name of
   * others: such a name may have been pointed at this machine (DNS rebinding).
   * @throws `permission-denied`
   */
  check(request: Request): void {
    const { headers, url } = request
    if (!url.startsWith(this.#accepted)) this.#checkHost(request)
    const origin = headers.get('origin')
    const site = headers.get('sec-fetch-site')
    // Programs send neither, and browsers send no origin for what a page reads from its own server.
    if (origin === null && (site === null || site === 'same-origin' || site === 'none')) return
    if (origin === null ? this.#isHarmless(request, site) : this.#isOwnPage(origin)) return
    throw new DholeError('permission-denied', FOREIGN_PAGE)
  }

  /** A request without `Origin` that is not of the page's own server: a link, a script, an image. */
  #isHarmless(request: Request, site: string | null): boolean {
    const { headers, method } = request
    // The page that is left, or that holds the frame, cannot read what is shown.
    if (headers.get('sec-fetch-mode') === 'navigate' && (method === 'GET' || method === 'HEAD')) return true
    // Another port of the same loopback name. Other names of one domain may belong to different people.
    if (site === 'same-site' && namesLoopback(request)) return true
    const referrer = headers.get('referer')
    return referrer !== null && this.#isOwnPage(referrer)
  }

  #isOwnPage(url: string): boolean {
    const hostname = URL.parse(url)?.hostname
    return hostname !== undefined && hostname !== '' && this.#isOwnName(plainName(hostname))
  }

  #checkHost(request: Request): void {
    const host = hostOf(request)
    // Without a name only old programs ask, and no browser.
    if (host !== '' && !this.#isOwnName(nameOf(host))) throw new DholeError('permission-denied', FOREIGN_HOST)
    const { url } = request
    if (!url.startsWith('/')) this.#accepted = url.slice(0, url.indexOf('/', url.indexOf('://') + 3) + 1)
  }

  #isOwnName(name: string): boolean {
    if (isLoopbackName(name) || this.#names.has(name) || this.#names.has(name.replace(/^[^.]+/, '*'))) return true
    return this.#baseDomain !== undefined && (name === this.#baseDomain || name.endsWith(`.${this.#baseDomain}`))
  }
}

/** Whether a request names a host that always leads to the machine that asks, such as `localhost`. */
export function namesLoopback(request: Request): boolean {
  return isLoopbackName(nameOf(hostOf(request)))
}

/** Whether a name in the form of {@link plainName} always leads to the machine that asks. */
function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || isLoopback(name)
}

/** Host of a request as sent, with its port. Without a cost for the usual ones: the runtime has it in the URL. */
function hostOf({ url, headers }: Request): string {
  // Without a usable Host header the URL is the bare target.
  if (url.startsWith('/')) return headers.get('host') ?? ''
  const start = url.indexOf('://') + '://'.length
  return url.slice(start, url.indexOf('/', start))
}

function nameOf(host: string): string {
  return plainName(host.replace(/:\d*$/, ''))
}

/** Lower case, without brackets and the dot at the end. */
function plainName(name: string): string {
  return name
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()
}

/** Whether only this machine has an address. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^127(\.\d{1,3}){3}$/.test(address)
}
