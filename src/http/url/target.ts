import { DholeError } from '../../error.ts'
import type { Family, Query } from '../../query/query.ts'
import { checkPath, type Path, withText } from '../../tree/path.ts'
import { checkParameters, decodeParameters, type Parameters, parseTimeout, type RawParameters } from './parameters.ts'
import { queryOf } from './query-parameters.ts'

const SUFFIX = '.json'
/** Parsed paths kept for the next request, and the longest raw path worth keeping: a few megabytes at the most. */
const KEPT_PATHS = 8192
const LONGEST_KEPT = 256
const ESCAPE_FREE = /^[^%]*$/
/** A slash as clients send it that encode a whole path as one parameter. */
const ENCODED_SLASH = /%2f/gi
/** First key of what is read like the tree and is no part of it. */
export const INFO = '.info'
const INFO_PREFIX = `/${INFO}/`

/** A request target as sent. */
interface TargetParts {
  /** Scheme of the connection to us; `undefined` when the Host header was missing or unusable. */
  readonly scheme: 'https' | 'http' | undefined
  /** Host as sent, with its port; empty when the Host header was missing or unusable. */
  readonly host: string
  /** Path below the mount point, percent escapes and all; begins with a slash. */
  readonly rawPath: string
  /** Without the question mark; empty when there is none. */
  readonly search: string
}

/**
 * A request target taken apart. What it says is read when it is first wanted, as errors have their order, and once: a
 * hot one is kept (`bun run bench read`, GET hot).
 */
export class Target implements TargetParts {
  readonly scheme: TargetParts['scheme']
  readonly host: string
  readonly rawPath: string
  readonly search: string
  #path: Path | undefined
  #raw: RawParameters | undefined
  #parameters: Parameters | undefined
  readonly #queries: Partial<Record<Family, Query | undefined>> = {}

  constructor({ scheme, host, rawPath, search }: TargetParts) {
    this.scheme = scheme
    this.host = host
    this.rawPath = rawPath
    this.search = search
  }

  /** The node it names, or what is below `/.info`. @throws as `parseTargetPath` */
  get path(): Path {
    this.#path ??= this.#dataPath()
    return this.#path
  }

  /** The known parameters, not looked at yet. */
  get raw(): RawParameters {
    this.#raw ??= decodeParameters(this.search)
    return this.#raw
  }

  /** @throws as `checkParameters` */
  get parameters(): Parameters {
    this.#parameters ??= checkParameters(this.raw)
    return this.#parameters
  }

  /** Longest time for the read. @throws as `parameters` and `parseTimeout` */
  get timeoutMs(): number | undefined {
    const { timeout } = this.parameters
    return timeout === undefined ? undefined : parseTimeout(timeout)
  }

  /** What its filters ask for; `undefined` where there are none. @throws as `queryOf` */
  query(family: Family): Query | undefined {
    this.#queries[family] ??= queryOf(this.parameters, family)
    return this.#queries[family]
  }

  #dataPath(): Path {
    const rawPath = ESCAPE_FREE.test(this.rawPath) ? this.rawPath : this.rawPath.replace(ENCODED_SLASH, '/')
    // A dot path that is no part of the data is known by its first key.
    if (rawPath.startsWith(INFO_PREFIX)) return [INFO, ...parseTargetPath(rawPath.slice(INFO.length + 1))]
    // Targets without parameters are cached with their path; others share paths of their own cache.
    return this.search === '' ? withText(parseTargetPath(rawPath)) : targetPath(rawPath)
  }
}

/** Target of no path. */
export const NO_TARGET = new Target({ scheme: undefined, host: '', rawPath: '', search: '' })

/**
 * Splits `request.url` without the cost of a `URL`. The mount prefix is removed here, because a short Host header
 * misleads the framework's own path.
 * @returns `undefined` for a path that is not below the mount point
 */
export function splitTarget(url: string, prefix: string): Target | undefined {
  // Without a usable Host header the server hands over the bare request target.
  const hostStart = url.startsWith('/') ? 0 : url.indexOf('://') + 3
  const pathStart = url.indexOf('/', hostStart)
  const searchStart = url.indexOf('?', pathStart)
  const path = url.slice(pathStart, searchStart === -1 ? undefined : searchStart)
  if (!path.startsWith(prefix)) return undefined
  return new Target({
    scheme: hostStart === 0 ? undefined : url.startsWith('https:') ? 'https' : 'http',
    host: url.slice(hostStart, pathStart),
    rawPath: path.slice(prefix.length),
    search: searchStart === -1 ? '' : url.slice(searchStart + 1),
  })
}

const keptPaths = new Map<string, Path>()

/** As `parseTargetPath`, remembering. @throws as `parseTargetPath` */
function targetPath(rawPath: string): Path {
  const kept = keptPaths.get(rawPath)
  if (kept !== undefined) return kept
  const path = parseTargetPath(rawPath)
  if (rawPath.length > LONGEST_KEPT) return path
  if (keptPaths.size >= KEPT_PATHS) keptPaths.clear()
  keptPaths.set(rawPath, withText(path))
  return path
}

/**
 * The node a URL path names: ends in `.json`, escapes decoded once as UTF-8, empty segments dropped. Encoded slashes
 * have been replaced.
 * @throws `json-suffix-missing`, `bad-path`, `too-deep`, `key-too-long`
 * @see docs/reference/protocol.md#paths
 */
function parseTargetPath(rawPath: string): Path {
  if (!rawPath.endsWith(SUFFIX)) throw new DholeError('json-suffix-missing')
  const segments = rawPath
    .slice(0, -SUFFIX.length)
    .split('/')
    .filter((segment) => segment !== '')
  const path = segments.map(decode)
  checkPath(path, 'bad-path')
  return path
}

function decode(segment: string): string {
  if (ESCAPE_FREE.test(segment)) return segment
  try {
    return decodeURIComponent(segment)
  } catch (cause) {
    throw new DholeError('bad-path', undefined, { cause })
  }
}
