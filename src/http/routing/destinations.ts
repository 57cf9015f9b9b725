import type { Destination } from '../exchange.ts'
import { splitTarget, type Target } from '../url/target.ts'
import { endpointOf, OUTSIDE } from './endpoints.ts'

/** Destinations kept for the next request, and the longest URL worth keeping: a few megabytes at the most. */
const KEPT = 8192
const LONGEST_KEPT = 256
/** Suffix of tree paths. Other URLs rarely repeat: calls about text messages carry a time. */
const SUFFIX = '.json'

/** Destinations of the URLs below one mount point. Repeated URLs are parsed once. */
export class Destinations {
  readonly #prefix: string
  readonly #kept = new Map<string, Destination>()

  /** @param prefix path of the mount point, without a slash at the end */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  of(url: string): Destination {
    return this.#kept.get(url) ?? this.#read(url)
  }

  #read(url: string): Destination {
    const target = splitTarget(url, this.#prefix)
    if (target === undefined) return OUTSIDE
    const destination = { target, endpoint: endpointOf(target.rawPath) }
    if (url.length > LONGEST_KEPT || !target.rawPath.endsWith(SUFFIX) || hasCredential(target)) return destination
    if (this.#kept.size >= KEPT) this.#kept.clear()
    this.#kept.set(url, destination)
    return destination
  }
}

/** Credentials are not kept longer than their request. */
function hasCredential({ raw: { values } }: Target): boolean {
  return 'auth' in values || 'access_token' in values
}
