import { encoded } from '../../protocol/sms/calls.ts'
import { SECRET } from '../../support/https-server.ts'
import { customToken } from '../../support/token.ts'
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
  return { PUT: '7', POST: '"a"', PATCH: '{"a":1}' }[method]
}

/** What a path of the document needs behind it, whatever the method. */
export function goodQuery(path: string): string {
  return isSms({ path }) ? `?${encoded(goodSmsRequest(path).fields)}` : ''
}
