import { decodeParameters } from './parameters.ts'

/** Longest path in a log line, in characters. */
const LONGEST_PATH = 512
/** A credential put in the path by mistake. */
const CREDENTIAL = /((?:auth|access_token)(?:=|%3d))[^&;/?]*/gi
/** Text as long as a generated secret, or as the signature of a token. */
const SECRET_LIKE = /[A-Za-z0-9_-]{40,}/g

/** Parameters that hold a credential. */
const SECRET_PARAMETERS: ReadonlySet<string> = new Set(['auth', 'access_token'])

/** Known parameters of a URL for the operator, decoded and without credentials; `undefined` when there are none. */
export function loggedQuery(url: string): string | undefined {
  const start = url.indexOf('?')
  if (start === -1) return undefined
  const { values } = decodeParameters(url.slice(start + 1))
  const shown = Object.entries(values).filter(([name]) => !SECRET_PARAMETERS.has(name))
  return shown.length === 0 ? undefined : shortened(shown.map(([name, value]) => `${name}=${value}`).join('&'))
}

/** Path of a URL for the log, without credentials: the query string is left out. */
export function loggedPath(url: string): string {
  const target = url.replace(/^[a-z]+:\/\/[^/]*/, '')
  const path = target
    .replace(/[?#].*$/s, '')
    .replace(CREDENTIAL, '$1…')
    .replace(SECRET_LIKE, '…')
  return shortened(path)
}

function shortened(text: string): string {
  return text.length > LONGEST_PATH ? `${text.slice(0, LONGEST_PATH)}…` : text
}
