import { createHmac } from 'node:crypto'
import { encoded } from '../../protocol/sms/calls.ts'
import { SECRET } from '../../support/https-server.ts'
import { customToken, nowInSeconds, signedToken } from '../../support/token.ts'
import { type Documented, isSms } from './document.ts'
import { goodSmsRequest } from './sms-requests.ts'

/** Headers of the owner of the application. */
export const OWNER = { Authorization: `Bearer ${SECRET}` }

/** Rules under which a call needs no credential. */
export const OPEN_RULES = '{"rules":{".read":true,".write":true}}'

/** Headers with the credential that an operation must have. */
export function credentialsFor(documented: Documented | undefined): Readonly<Record<string, string>> {
  const schemes = documented?.operation.security ?? []
  return schemes.length > 0 ? OWNER : {}
}

/** A body that a method of a path of the document takes; `undefined` where it takes none. */
export function goodBody(path: string, method: string): string | undefined {
  if (isSms({ path })) return method === 'POST' ? goodSmsRequest(path).body : undefined
  if (path === '/.settings/rules.json') return method === 'PUT' ? OPEN_RULES : undefined
  if (path === '/.settings/defaultWriteSizeLimit.json') return method === 'PUT' ? '"large"' : undefined
  if (path.startsWith('/.auth/')) {
    return method === 'POST' ? JSON.stringify({ token: customToken(SECRET, { uid: 'alice' }) }) : undefined
  }
  if (path.includes('.googleapis.com/')) return method === 'POST' ? goodSignIn(path) : undefined
  return { PUT: '7', POST: '"a"', PATCH: '{"a":1}' }[method]
}

function goodSignIn(path: string): string {
  if (/CustomToken$/.test(path)) return JSON.stringify({ token: customToken(SECRET, { uid: 'alice' }) })
  const [iat, user] = [nowInSeconds(), { aud: 'app', sub: 'alice', auth_time: nowInSeconds() }]
  const signed = (label: string, payload: object) => {
    const key = createHmac('sha256', SECRET).update(label).digest()
    return signedToken(key, { alg: 'HS256', typ: 'JWT' }, { ...user, exp: iat + 60, ...payload })
  }
  if (/lookup$|getAccountInfo$/.test(path)) {
    const idToken = signed('dhole id token key 1', { iss: 'dhole', iat, firebase: { sign_in_provider: 'custom' } })
    return JSON.stringify({ idToken })
  }
  const refreshToken = signed('dhole refresh token key 1', { claims: {} })
  return `grant_type=refresh_token&refresh_token=${refreshToken}`
}

/** What a path of the document needs behind it, whatever the method. */
export function goodQuery(path: string): string {
  return isSms({ path }) ? `?${encoded(goodSmsRequest(path).fields)}` : ''
}
