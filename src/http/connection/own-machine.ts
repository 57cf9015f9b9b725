import { DholeError } from '../../error.ts'

/** Names and addresses that a server on a loopback address accepts, besides those of loopback. */
export interface OwnNames {
  /** Host names, perhaps with `*` as first label, and IP addresses; without ports. */
  readonly names?: readonly string[] | undefined
  /** Domain whose subdomains name applications. */
  readonly baseDomain?: string | undefined
  /** Whether the name that this machine has in Android's emulator is one. Default false. */
  readonly development?: boolean | undefined
}

/** This machine in Android's emulator. No other name resolves to an address that is sent as it is. */
const IN_ANDROID_EMULATOR = '10.0.2.2'

const FOREIGN_PAGE =
  'Pages of other sites may not use what is open to this machine only: serve the page from localhost, or give the tree rules'
const FOREIGN_HOST =
  'What is open to this machine only is not served under this host name: use localhost, name it in TLS_NAMES, or give the tree rules'

/**
 * Distinguishes requests of programs and pages of this machine from those that pages of other sites make a browser
 * send: a browser on this machine connects from loopback for every page.
 * @see docs/reference/protocol.md#open-to-this-machine
 */
export class OwnMachine {
  readonly #names: ReadonlySet<string>
  readonly #baseDomain: string | undefined
  /** Start of the URL of the last request whose host was accepted: most requests use one name. */
  #accepted = '\n'

  constructor({ names = [], baseDomain, development = false }: OwnNames = {}) {
    this.#names = new Set([...names.map(plainName), ...(development ? [IN_ANDROID_EMULATOR] : [])])
    this.#baseDomain = baseDomain === undefined ? undefined : plainName(baseDomain)
  }

  /**
   * Refuses requests of pages of other sites, except navigations, and requests under foreign host names: such a name
   * may resolve to this machine (DNS rebinding).
   * @throws `permission-denied`
   */
  check(request: Request): void {
    const { headers, url } = request
    if (!url.startsWith(this.#accepted)) this.#checkHost(request)
    const origin = headers.get('origin')
    const site = headers.get('sec-fetch-site')
    // Programs send neither; browsers send no origin when a page reads from its own server.
    if (origin === null && (site === null || site === 'same-origin' || site === 'none')) return
    if (origin === null ? this.#isHarmless(request, site) : this.#isOwnPage(origin)) return
    throw new DholeError('permission-denied', FOREIGN_PAGE)
  }

  /** Decides on a request without `Origin` to another server than the page's: a link, a script, an image. */
  #isHarmless(request: Request, site: string | null): boolean {
    const { headers, method } = request
    // The previous page, or the page around a frame, cannot read the reply.
    if (headers.get('sec-fetch-mode') === 'navigate' && (method === 'GET' || method === 'HEAD')) return true
    // Another port of the same loopback name. Names of one public domain may have different owners.
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
    // Only old programs send no host name, no browser.
    if (host !== '' && !this.#isOwnName(nameOf(host))) throw new DholeError('permission-denied', FOREIGN_HOST)
    const { url } = request
    if (!url.startsWith('/')) this.#accepted = url.slice(0, url.indexOf('/', url.indexOf('://') + 3) + 1)
  }

  #isOwnName(name: string): boolean {
    if (isLoopbackName(name) || this.#names.has(name) || this.#names.has(name.replace(/^[^.]+/, '*'))) return true
    return this.#baseDomain !== undefined && (name === this.#baseDomain || name.endsWith(`.${this.#baseDomain}`))
  }
}

/** Whether the host of a request always resolves to the client's own machine, such as `localhost`. */
export function namesLoopback(request: Request): boolean {
  return isLoopbackName(nameOf(hostOf(request)))
}

/** Whether a name in the form of {@link plainName} always resolves to the client's own machine. */
function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || isLoopback(name)
}

/** Host of a request as sent, with its port; usually from the URL, which costs less than a header. */
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

/** Whether an address is a loopback address. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^127(\.\d{1,3}){3}$/.test(address)
}
