import { DholeError } from '../../error.ts'
import type { Exchange } from '../exchange.ts'
import { isBearer } from '../request/headers.ts'
import type { AdminCaller } from './admin-service.ts'
import type { Admission } from './admission.ts'
import { tokenIn } from './session-cookie.ts'
import { isSame } from './session-token.ts'
import type { ValidSession } from './sessions.ts'

const NO_SESSION = 'There is no session, or it has ended: log in'
const WRONG = 'The secret is wrong'
const CSRF_HEADER = 'x-csrf-token'
const NO_CSRF = 'The header X-CSRF-Token must be that of the session'

/** A caller whose credential is valid. */
export interface Admitted {
  readonly caller: AdminCaller
  /** `undefined` for a program, which sends the secret with each request. */
  readonly session: ValidSession | undefined
}

/**
 * The caller of a request: by a bearer token, which is the secret of the operator or of the application that the request
 * names as everywhere, or else by the session cookie. Nothing of the body has been read.
 * @param isChecked whether a session has to show its CSRF token
 * @throws `admin-session`, `admin-refused`, `too-many-failures`, `unavailable`
 */
export async function admit(exchange: Exchange, admission: Admission, isChecked: boolean): Promise<Admitted> {
  const { headers } = exchange.request
  const authorization = headers.get('authorization')
  if (authorization !== null) {
    // Another scheme is a credential too, and never a valid one.
    const secret = isBearer(authorization) ? authorization.slice('Bearer'.length).trim() : ''
    const { values } = exchange.target.raw
    return { caller: await callerWith(exchange, admission, secret, values['app'] ?? values['ns']), session: undefined }
  }
  const token = tokenIn(headers.get('cookie'))
  const session = token === undefined ? undefined : await admission.sessions.find(token)
  if (session === undefined) throw new DholeError('admin-session', NO_SESSION)
  if (isChecked && !isSame(headers.get(CSRF_HEADER) ?? '', session.csrf)) {
    throw new DholeError('admin-refused', NO_CSRF)
  }
  return { caller: session.caller, session }
}

/** As `loginCaller`, for a program, whose secret is that of the operator or of the application that it names. */
async function callerWith(
  exchange: Exchange,
  admission: Admission,
  secret: string,
  application: string | undefined,
): Promise<AdminCaller> {
  const { service } = admission
  if (service.operator.matches(secret)) return { role: 'operator' }
  return await loginCaller(exchange, admission, secret, application ?? service.homeApplication)
}

/**
 * The caller that a secret admits. Wrong ones are counted by network; a right one is let through however many were wrong.
 * @param application that the secret is of; `undefined` for that of the operator
 * @throws `admin-session` for a wrong secret and for an application that does not exist, `too-many-failures`, `unavailable`
 */
export async function loginCaller(
  exchange: Exchange,
  { service }: Admission,
  secret: string,
  application: string | undefined,
): Promise<AdminCaller> {
  // Read before the wait: a closed connection has no address.
  const { address } = exchange
  if (application === undefined) {
    if (service.operator.matches(secret)) return { role: 'operator' }
  } else if (await isSecretOf(exchange, application, secret)) return { role: 'application', application }
  if (address !== undefined && (await service.failedAttempts.record(address))) throw new DholeError('too-many-failures')
  throw new DholeError('admin-session', WRONG)
}

async function isSecretOf(exchange: Exchange, id: string, secret: string): Promise<boolean> {
  try {
    const { authenticator } = await exchange.service.applications.choose(id, '')
    return authenticator.isSuperSecret(secret)
  } catch (thrown) {
    if (thrown instanceof DholeError && thrown.code === 'app-unknown') return false
    throw thrown
  }
}
