import { DholeError, type ErrorCode } from '../error.ts'
import { checkKey, PRIORITY, utf8Length } from './key.ts'
import { MAX_DEPTH, MAX_KEY_BYTES } from './limits.ts'

/** Keys from the root down; the root itself is the empty list. `.priority` may stand last where a caller says so. */
export type Path = readonly string[]

/** A path as its keys, or as text: `/a/b`. */
export type PathLike = Path | string

/**
 * Reads a path as text, decoded: `/a/b`, `a/b/`, `a//b` are the same.
 * @param where which text a bad key gets
 * @throws as `checkKey`, and `too-deep`, `key-too-long` for the path as a whole
 */
export function parsePath(text: string, where: Extract<ErrorCode, 'bad-path' | 'bad-key'> = 'bad-path'): Path {
  const path = text.split('/').filter((key) => key !== '')
  checkPath(path, where)
  return path
}

/** The keys below a child that say what it is sorted by: `height`, `name/first`; `undefined` when the text is no such path. */
export function sortPath(text: string): Path | undefined {
  try {
    const path = parsePath(text)
    return path.length === 0 || endsInPriority(path) ? undefined : path
  } catch {
    return undefined
  }
}

/** The keys of a path, all of them legal. @throws as `parsePath` */
export function toPath(path: PathLike): Path {
  if (typeof path === 'string') return parsePath(path)
  // A key with a slash in it would be one place for the rules and another for whoever goes by the text.
  if (!texts.has(path)) checkPath(path, 'bad-path')
  return path
}

/**
 * Throws unless every key is legal and the path is neither too deep nor too long. A last `.priority` is let through
 * and not counted: it is no key of the data.
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

/** Length of a path as the limit counts it: the bytes of its keys and one for each key. */
export function pathBytes(path: Path): number {
  let bytes = path.length
  for (const key of path) bytes += utf8Length(key)
  return bytes
}

/** `/a/b`; the root is `/`. Keys hold no slash, so the text is unique to the path. */
export function formatPath(path: Path): string {
  return texts.get(path) ?? `/${path.join('/')}`
}

/** Texts of paths that are used again and again. */
const texts = new WeakMap<Path, string>()

/** Has `formatPath` remember the text of this very list, whose keys have been checked. @returns the list */
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
