import type { Application } from '../../applications/application.ts'
import type { Stay } from '../../applications/stay.ts'
import { ANONYMOUS, type Auth, type Caller } from '../../auth/caller.ts'
import { DholeError } from '../../error.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import type { Listener, Transport } from '../connection/transport.ts'
import type { ClientLimits } from '../limits/client-limits.ts'
import type { Parameters } from '../url/parameters.ts'
import { isBearer } from './dialect.ts'

/** Where a request comes from. */
export interface Origin {
  readonly request: Request
  readonly listener: Listener | null
  readonly transport: Transport
  readonly limits: ClientLimits
  /** Holds the application of a request that may have a body. */
  readonly stay?: Stay | undefined
}

/** What carries a credential. */
type Carriers = Pick<Parameters, 'auth' | 'access_token'>

/**
 * Who asks.
 * @throws `permission-denied` where pages of other sites may not ask, `bad-token` and the other failures of credentials
 * @see docs/reference/protocol.md#credentials
 */
export function callerOf(application: Application, origin: Origin, carriers: Carriers): Awaitable<Caller> {
  const { request, listener, transport } = origin
  const authorization = request.headers.get('authorization')
  const credential = credentialOf(carriers, authorization)
  if (credential === undefined) {
    if (application.isLoopbackOnly && !application.database.hasOwnRules) transport.refuseForeign(request)
    return ANONYMOUS
  }
  const isHeader = carriers.auth === undefined && carriers.access_token === undefined
  return application.authenticator.authenticate(credential, {
    // Asked for only when there is something to count.
    get address() {
      return transport.addressOf(request, listener)
    },
    isBearer: isHeader && isBearer(authorization),
    // Asked for only where whoever is near may be the owner.
    get isLoopback() {
      if (!transport.isLocal(request, listener)) return false
      transport.refuseForeign(request)
      return true
    },
  })
}

/** First present wins. */
function credentialOf({ auth, access_token }: Carriers, authorization: string | null): string | undefined {
  if (auth !== undefined) return auth
  if (access_token !== undefined) return access_token
  if (authorization === null) return undefined
  // Another scheme is a credential too, and one nobody here gave out.
  return isBearer(authorization) ? authorization.slice('Bearer'.length).trim() : ''
}

/**
 * The caller that an admin wants to be taken for, so that rules apply.
 * @param override JSON of `auth` as rules are to see it, `null` for nobody
 * @throws `permission-denied` unless the caller is an admin, `bad-parameter` unless it is an object or `null`
 * @see docs/reference/protocol.md#credentials
 */
export function overriddenCaller(caller: Caller, override: string | undefined): Caller {
  if (override === undefined) return caller
  if (caller.kind !== 'admin') throw new DholeError('permission-denied')
  return { ...caller, kind: 'user', auth: parseAuth(override) }
}

function parseAuth(text: string): Auth | null {
  const auth = parse(text)
  if (typeof auth !== 'object' || Array.isArray(auth)) {
    throw new DholeError('bad-parameter', 'auth_variable_override must be an object or null')
  }
  return auth as Auth | null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
