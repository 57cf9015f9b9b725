/**
 * Path that the service is mounted under, as this browser sees it, without a slash at the end. The server writes it into
 * the page, relative to the address that was asked for.
 */
const PREFIX = new URL(
  document.querySelector<HTMLMetaElement>('meta[name="dhole-root"]')?.content ?? '/',
  location.href,
).pathname.replace(/\/$/, '')

/** Address of something below the mount point. @param path begins with a slash and is escaped already */
export function serverUrl(path: string): URL {
  return new URL(PREFIX + path, location.origin)
}

/** Path of a page of the console: each segment is escaped. */
export function consolePath(segments: readonly string[]): string {
  return [`${PREFIX}/console`, ...segments.map(encodeURIComponent)].join('/')
}

/** Unescaped segments of a path below `/console`; `undefined` for an address outside the console. */
export function consoleSegments(pathname: string): readonly string[] | undefined {
  const base = `${PREFIX}/console`
  if (pathname !== base && !pathname.startsWith(`${base}/`)) return undefined
  try {
    return pathname
      .slice(base.length)
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent)
  } catch {
    return []
  }
}
