import { SESSION_MS } from './sessions.ts'

/** Browsers accept a name with this prefix only from HTTPS, for this host alone and for all its paths. */
const NAME = '__Host-dhole-console'
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict'
const SECOND_MS = 1000
/** Longest header that is looked at, in characters. */
const MAX_LENGTH = 16 * 1024

/** The token in the header `Cookie`; `undefined` where there is none, or more than one. */
export function tokenIn(cookies: string | null): string | undefined {
  if (cookies === null || cookies.length > MAX_LENGTH) return undefined
  const found = cookies
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${NAME}=`))
  const [only] = found
  return found.length === 1 ? only?.slice(NAME.length + 1) : undefined
}

/** Header `Set-Cookie` with a token. */
export function cookieWith(token: string): string {
  return `${NAME}=${token}; ${ATTRIBUTES}; Max-Age=${SESSION_MS / SECOND_MS}`
}

/** Header `Set-Cookie` that removes the token. */
export const NO_COOKIE = `${NAME}=; ${ATTRIBUTES}; Max-Age=0`
