import { serverUrl } from '../shell/server-paths.ts'

/**
 * The node that a stream listens to, as keys from the root.
 * @param path of a request as the server logs it, escaped and with `.json`; or of a listen of an SDK, its keys as they are
 * @returns `undefined` for a path that names none, or that the log has shortened
 */
export function keysOf(path: string): readonly string[] | undefined {
  if (path.includes('…')) return undefined
  // No key has a dot.
  if (!path.endsWith('.json')) return path.split('/').filter((key) => key !== '')
  const base = serverUrl('/').pathname
  const [, node] = /^(.*?)\/?\.json$/.exec(path.startsWith(base) ? path.slice(base.length - 1) : path) ?? []
  if (node === undefined) return undefined
  try {
    return node
      .split('/')
      .filter((key) => key !== '')
      .map(decodeURIComponent)
  } catch {
    return undefined
  }
}

/** The same as a text for people: `/rooms/the lobby`; the path itself where it names no node. */
export function nodeText(path: string): string {
  const keys = keysOf(path)
  return keys === undefined ? path : `/${keys.join('/')}`
}
