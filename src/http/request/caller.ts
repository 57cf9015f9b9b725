import type { Application } from '../../applications/application.ts'
import { ANONYMOUS, type Auth, type Caller } from '../../auth/caller.ts'
import { DholeError } from '../../error.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { jsonOf } from '../../tree/json/parse-json.ts'
import type { Exchange } from '../exchange.ts'
import type { Parameters } from '../url/parameters.ts'
import { isBearer } from './headers.ts'

/** Parameters that can hold a credential. */
type Carriers = Pick<Parameters, 'auth' | 'access_token'>

/**
 * Resolves the caller of a request.
 * @param application checks the credential
 * @throws `permission-denied` where pages of other sites are refused, `bad-token` and the other errors of credentials
 * @see docs/reference/protocol.md#credentials
 */
export function callerOf(application: Application, exchange: Exchange, carriers: Carriers): Awaitable<Caller> {
  const { request, transport } = exchange
  const authorization = request.headers.get('authorization')
  const credential = credentialOf(carriers, authorization)
  if (credential === undefined) {
    if (application.isLoopbackOnly && !application.database.hasOwnRules) transport.refuseForeign(request)
    return ANONYMOUS
  }
  const isHeader = carriers.auth === undefined && carriers.access_token === undefined
  return application.authenticator.authenticate(credential, {
    // Resolved only when a failure has to be counted.
    get address() {
      return transport.addressOf(exchange)
    },
    isBearer: isHeader && isBearer(authorization),
    // Resolved only where callers from this machine may be administrators.
    get isLoopback() {
      if (!transport.isLocal(exchange)) return false
      transport.refuseForeign(request)
      return true
    },
  })
}

/**
 * As `callerOf`, for the caller of the application that is open now. The exchange remembers the keys, because what it waits for
 * later may take long.
 */
export function authenticate(exchange: Exchange, carriers: Carriers): Awaitable<Caller> {
  const { application } = exchange
  const caller = callerOf(application, exchange, carriers)
  exchange.keys = caller === ANONYMOUS ? undefined : application.authenticator.keys
  return caller instanceof Promise ? caller.then((known) => authenticated(exchange, carriers, known)) : caller
}

/** The keys may have been replaced while a signature was verified. */
function authenticated(exchange: Exchange, carriers: Carriers, caller: Caller): Awaitable<Caller> {
  return exchange.keys?.isReplaced === true ? authenticate(exchange, carriers) : caller
}

/** The first one present counts. */
function credentialOf({ auth, access_token }: Carriers, authorization: string | null): string | undefined {
  if (auth !== undefined) return auth
  if (access_token !== undefined) return access_token
  if (authorization === null) return undefined
  // Another scheme is a credential too, and never a valid one.
  return isBearer(authorization) ? authorization.slice('Bearer'.length).trim() : ''
}

/**
 * Replaces an administrator by the user named in `auth_variable_override`, so that rules apply.
 * @param override JSON of `auth` as rules see it; `null` for an anonymous caller
 * @throws `permission-denied` unless the caller is an admin, `bad-parameter` unless it is an object or `null`
 * @see docs/reference/protocol.md#credentials
 */
export function overriddenCaller(caller: Caller, override: string | undefined): Caller {
  if (override === undefined) return caller
  if (caller.kind !== 'admin') throw new DholeError('permission-denied')
  return { ...caller, kind: 'user', auth: parseAuth(override) }
}

function parseAuth(text: string): Auth | null {
  const auth = jsonOf(text)
  if (typeof auth !== 'object' || Array.isArray(auth)) {
    throw new DholeError('bad-parameter', 'auth_variable_override must be an object or null')
  }
  return auth as Auth | null
}
