import { signal } from '@preact/signals'
import { errorOf } from './call-error.ts'
import { send } from './connection.ts'
import { serverUrl } from './server-paths.ts'

/** Who is logged in. */
export interface Session {
  readonly role: 'operator' | 'application'
  /** The only application of this session, where `role` is `application`. */
  readonly application?: string
  /** Sent as `X-CSRF-Token` with every operation. */
  readonly csrf: string
  /** When the session ends at the latest, in ms since 1970. */
  readonly expires: number
}

/** The session; `null` without a login, `undefined` until the server was asked. */
export const session = signal<Session | null | undefined>(undefined)

const SESSION = '/.admin/session'

/** Asks the server whose session the cookie of this browser is. @throws CallError */
export async function resumeSession(): Promise<void> {
  const reply = await send(serverUrl(SESSION), {})
  if (reply.status === 401) {
    session.value = null
    return
  }
  if (!reply.ok) throw await errorOf(reply)
  session.value = (await reply.json()) as Session
}

/** @param application whose secret it is; without it the secret is the operator's @throws CallError */
export async function logIn(secret: string, application: string | undefined): Promise<void> {
  const body = JSON.stringify(application === undefined ? { secret } : { secret, application })
  const headers = { 'Content-Type': 'application/json' }
  const reply = await send(serverUrl(SESSION), { method: 'POST', headers, body })
  if (!reply.ok) throw await errorOf(reply)
  session.value = (await reply.json()) as Session
}

/** @param everywhere ends the sessions of all browsers too @throws CallError */
export async function logOut(everywhere: boolean): Promise<void> {
  const csrf = session.value?.csrf ?? ''
  const path = everywhere ? '/.admin/sessions' : SESSION
  const reply = await send(serverUrl(path), { method: 'DELETE', headers: { 'X-CSRF-Token': csrf } })
  if (!reply.ok && reply.status !== 401) throw await errorOf(reply)
  session.value = null
}
