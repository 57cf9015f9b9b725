/** Longest path in a log line, in characters. */
const LONGEST_PATH = 512
/** A credential put in the path by mistake. */
const CREDENTIAL = /((?:auth|access_token)(?:=|%3d))[^&;/?]*/gi
/** Text as long as a generated secret, or as the signature of a token. */
const SECRET_LIKE = /[A-Za-z0-9_-]{40,}/g

/** Path of a URL for the log, without credentials: the query string is left out. */
export function loggedPath(url: string): string {
  const target = url.replace(/^[a-z]+:\/\/[^/]*/, '')
  const path = target
    .replace(/[?#].*$/s, '')
    .replace(CREDENTIAL, '$1…')
    .replace(SECRET_LIKE, '…')
  return path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path
}
