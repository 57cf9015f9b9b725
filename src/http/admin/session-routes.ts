import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { DholeError } from '../../error.ts'
import { peerOf } from '../connection/peer.ts'
import type { Exchange } from '../exchange.ts'
import { type BodyOptions, useJson } from '../request/body.ts'
import { checkMethod, privateReply } from './admin-reply.ts'
import type { Admission } from './admission.ts'
import { type Admitted, admit, loginCaller } from './credentials.ts'
import { refuseForeignPages } from './foreign-page.ts'
import { cookieWith, NO_COOKIE } from './session-cookie.ts'
import type { ValidSession } from './sessions.ts'

const BODY: BodyOptions = { maxBytes: 4 * 1024, malformed: 'bad-data', isTrusted: false }

/** Body of a login. */
export const loginBody = Type.Object(
  {
    /** That of the operator, or the super secret of the application. */
    secret: Type.String(),
    /** Name of the application; absent for the operator. */
    application: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)

/** What is said of a session. */
export const sessionReply = Type.Object({
  role: Type.Union([Type.Literal('operator'), Type.Literal('application')]),
  application: Type.Optional(Type.String()),
  /** Value of the header `X-CSRF-Token` of every operation. */
  csrf: Type.String(),
  /** Milliseconds since 1970. */
  expires: Type.Integer(),
})

/**
 * Logs in (POST), describes the session (GET), or ends it (DELETE).
 * @throws as `admit`, `method-not-allowed`, `admin-input` and the errors of bodies
 * @see docs/reference/admin-api.md#sessions
 */
export async function answerSession(exchange: Exchange, admission: Admission): Promise<Response> {
  checkMethod(exchange)
  refuseForeignPages(exchange, admission.service)
  if (exchange.method === 'POST') return await logIn(exchange, admission)
  if (exchange.method === 'DELETE')
    return await endWith(exchange, admission, (session) => admission.sessions.end(session))
  const session = sessionOf(await admit(exchange, admission, false))
  return privateReply(exchange, replyFor(session), session.renewed && cookieWith(session.renewed))
}

/** Ends all sessions of the operator, or of the application of the session. @throws as `answerSession` */
export async function answerSessions(exchange: Exchange, admission: Admission): Promise<Response> {
  checkMethod(exchange)
  refuseForeignPages(exchange, admission.service)
  return await endWith(exchange, admission, (session) => admission.sessions.endAll(session))
}

async function logIn(exchange: Exchange, admission: Admission): Promise<Response> {
  // Looked up before the wait for the body, and kept: a closed connection has no address to count a guess for.
  peerOf(exchange)
  return await useJson(exchange, BODY, async (body) => {
    if (!Value.Check(loginBody, body)) {
      throw new DholeError('admin-input', 'expected {"secret": …}, and "application" for the secret of one')
    }
    const { secret, application } = body
    const caller = await loginCaller(exchange, admission, secret, application)
    const session = await admission.sessions.begin(caller)
    return privateReply(exchange, replyFor(session), cookieWith(session.renewed))
  })
}

async function endWith(
  exchange: Exchange,
  admission: Admission,
  end: (session: ValidSession) => Promise<void>,
): Promise<Response> {
  const session = sessionOf(await admit(exchange, admission, true))
  await end(session)
  return privateReply(exchange, { result: null }, NO_COOKIE)
}

/** @throws `admin-session` for a caller with a bearer token, who has no session */
function sessionOf({ session }: Admitted): ValidSession {
  if (session === undefined) throw new DholeError('admin-session', 'A secret in Authorization makes no session')
  return session
}

function replyFor({ caller, csrf, expires }: ValidSession): Static<typeof sessionReply> {
  return { ...caller, csrf, expires }
}
