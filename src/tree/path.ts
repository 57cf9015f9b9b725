import { DholeError, type ErrorCode } from '../error.ts'
import { checkKey, PRIORITY, utf8Length } from './key.ts'
import { MAX_DEPTH, MAX_KEY_BYTES } from './limits.ts'

/** Keys from the root down; the root is the empty list. Some functions accept a last `.priority`. */
export type Path = readonly string[]

/** A path as a list of keys, or as text: `/a/b`. */
export type PathLike = Path | string

/**
 * Parses a decoded path: `/a/b`, `a/b/` and `a//b` are the same.
 * @param where error code for a bad key
 * @throws as `checkKey`, and `too-deep`, `key-too-long` for the path as a whole
 */
export function parsePath(text: string, where: Extract<ErrorCode, 'bad-path' | 'bad-key'> = 'bad-path'): Path {
  const path = text.split('/').filter((key) => key !== '')
  checkPath(path, where)
  return path
}

/** Parses a child path to sort by, such as `height` or `name/first`; `undefined` when the text is not one. */
export function sortPath(text: string): Path | undefined {
  try {
    const path = parsePath(text)
    return path.length === 0 || endsInPriority(path) ? undefined : path
  } catch {
    return undefined
  }
}

/** The checked keys of a path. @throws as `parsePath` */
export function toPath(path: PathLike): Path {
  if (typeof path === 'string') return parsePath(path)
  // A key with a slash would name one node as a list of keys and another one as text.
  if (!texts.has(path)) checkPath(path, 'bad-path')
  return path
}

/**
 * Throws unless every key is legal and the path is neither too deep nor too long. A last `.priority` is accepted and not
 * counted: it is not a key of the data.
 */
export function checkPath(path: Path, where: Extract<ErrorCode, 'bad-path' | 'bad-key'>): void {
  const keys = endsInPriority(path) ? path.slice(0, -1) : path
  for (const key of keys) checkKey(key, where)
  checkDepth(keys.length)
  checkLength(pathBytes(keys))
}

export function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new DholeError('too-deep')
}

export function checkLength(bytes: number): void {
  if (bytes > MAX_KEY_BYTES) throw new DholeError('key-too-long')
}

/** Length of a path for its limit: the bytes of its keys and one for each key. */
export function pathBytes(path: Path): number {
  let bytes = path.length
  for (const key of path) bytes += utf8Length(key)
  return bytes
}

/** The path as text: `/a/b`; the root is `/`. A key contains no slash, so equal texts mean equal paths. */
export function formatPath(path: Path): string {
  return texts.get(path) ?? `/${path.join('/')}`
}

/** Texts of paths that are formatted often. */
const texts = new WeakMap<Path, string>()

/** Caches the text of this list, whose keys are checked, for `formatPath`. @returns the list */
export function withText(path: Path): Path {
  texts.set(path, formatPath(path))
  return path
}

export function endsInPriority(path: Path): boolean {
  return path[path.length - 1] === PRIORITY
}

/** Whether `path` is `other` or lies above it. */
export function covers(path: Path, other: Path): boolean {
  return path.length <= other.length && path.every((key, depth) => key === other[depth])
}
