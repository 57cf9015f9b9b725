import { splitTarget, type Target } from './target.ts'

/** Targets kept for the next request, and the longest URL worth keeping: a few megabytes at the most. */
const KEPT = 8192
const LONGEST_KEPT = 256
/** What a path of the tree ends in; calls about text messages are never the same twice. */
const SUFFIX = '.json'

/** Targets of the requests to one mount point. Those asked for again and again are read once. */
export class KeptTargets {
  readonly #prefix: string
  readonly #kept = new Map<string, Target>()

  /** @param prefix path of the mount point, without a slash at the end */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** @throws as `splitTarget` */
  of(url: string): Target {
    return this.#kept.get(url) ?? this.#read(url)
  }

  #read(url: string): Target {
    const target = splitTarget(url, this.#prefix)
    if (url.length > LONGEST_KEPT || !target.rawPath.endsWith(SUFFIX) || showsCredential(target)) return target
    if (this.#kept.size >= KEPT) this.#kept.clear()
    this.#kept.set(url, target)
    return target
  }
}

/** What opens a tree is not kept longer than its request. */
function showsCredential({ raw: { values } }: Target): boolean {
  return 'auth' in values || 'access_token' in values
}
