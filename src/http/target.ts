import { DholeError } from '../tree/error.ts'
import { checkPath, type Path, withText } from '../tree/path.ts'

/** A request target taken apart, still as sent. */
export interface Target {
  /** Scheme of the connection to us; `undefined` when the Host header was missing or unusable. */
  readonly scheme: 'https' | 'http' | undefined
  /** Host as sent, with its port; empty when the Host header was missing or unusable. */
  readonly host: string
  /** Path below the mount point, percent escapes and all; begins with a slash. */
  readonly rawPath: string
  /** Without the question mark; empty when there is none. */
  readonly search: string
}

const SUFFIX = '.json'
/** Parsed paths kept for the next request, and the longest raw path worth keeping: a few megabytes at the most. */
const KEPT_PATHS = 8192
const LONGEST_KEPT = 256
const ESCAPE_FREE = /^[^%]*$/

/**
 * Takes `request.url` apart without the cost of a `URL`. The mount prefix is cut off here: the framework's own idea of
 * the path can be led astray by a short Host header.
 */
export function splitTarget(url: string, prefix: string): Target {
  // Without a usable Host header the server hands over the bare request target.
  const hostStart = url.startsWith('/') ? 0 : url.indexOf('://') + 3
  const pathStart = url.indexOf('/', hostStart)
  const searchStart = url.indexOf('?', pathStart)
  const path = url.slice(pathStart, searchStart === -1 ? undefined : searchStart)
  if (!path.startsWith(prefix)) throw new DholeError('json-suffix-missing')
  return {
    scheme: hostStart === 0 ? undefined : url.startsWith('https:') ? 'https' : 'http',
    host: url.slice(hostStart, pathStart),
    rawPath: path.slice(prefix.length),
    search: searchStart === -1 ? '' : url.slice(searchStart + 1),
  }
}

const keptPaths = new Map<string, Path>()

/**
 * As `parseTargetPath`, remembering: a hot path is parsed once (`bun run bench read`, GET hot).
 * @throws as `parseTargetPath`
 */
export function targetPath(rawPath: string): Path {
  const kept = keptPaths.get(rawPath)
  if (kept !== undefined) return kept
  const path = parseTargetPath(rawPath)
  if (rawPath.length > LONGEST_KEPT) return path
  if (keptPaths.size >= KEPT_PATHS) keptPaths.clear()
  keptPaths.set(rawPath, withText(path))
  return path
}

/**
 * The node a URL path names: ends in `.json`, escapes decoded once as UTF-8, empty segments dropped.
 * @throws `json-suffix-missing`, `bad-path`, `too-deep`, `key-too-long`
 * @see docs/protocol.md#paths
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
