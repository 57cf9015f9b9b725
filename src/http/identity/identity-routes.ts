import { isApplicationId } from '../../applications/application-id.ts'
import type { CredentialOrigin } from '../../auth/authenticator.ts'
import { DholeError } from '../../error.ts'
import { jsonOf } from '../../tree/json/parse-json.ts'
import type { Exchange } from '../exchange.ts'
import { type BodyOptions, useJson, useText } from '../request/body.ts'
import { formatReply, preflightReply } from '../response/reply.ts'
import type { Target } from '../url/target.ts'
import { checkBody } from './schemas.ts'

/** Longest body: a token and a few characters around it. */
const BODY: BodyOptions = { maxBytes: 64 * 1024, malformed: 'bad-data', isTrusted: false }
/**
 * Said of every ID token. SDKs ask for another one five minutes before; with the true lifetime of a token that ends with
 * its sign-in they would ask again and again.
 */
const EXPIRES_IN = '3600'
const SECOND_MS = 1000

/** Headers that the SDK sends from pages, beside those of the tree. */
const HEADERS = [
  ...['Content-Type', 'Authorization', 'X-Request-Id', 'X-Client-Version', 'X-Firebase-Client'],
  ...['X-Firebase-GMPID', 'X-Firebase-Locale', 'X-Firebase-AppCheck', 'X-Goog-Api-Client'],
].join(', ')

/**
 * The application of a call: `ns`, or the API key of the client where it has the form of a name. Other API keys, such as
 * Google's, name none.
 */
export function applicationNamed({ search, raw }: Target): string | undefined {
  const { ns, app } = raw.values
  const named = ns ?? app
  if (named !== undefined) return named
  const key = new URLSearchParams(search).get('key')
  return key !== null && isApplicationId(key) ? key : undefined
}

/** Signs a user in with a custom token. @throws as `Authenticator.signIn`, and the errors of bodies */
export function answerSignIn(exchange: Exchange): Promise<Response> {
  return useJson(exchange, BODY, async (json) => {
    const { token } = checkBody('SignIn', json)
    const { idToken, refreshToken } = await exchange.application.authenticator.signIn(token, originOf(exchange))
    const kind = 'identitytoolkit#VerifyCustomTokenResponse'
    return reply(exchange, { kind, idToken, refreshToken, expiresIn: EXPIRES_IN, isNewUser: false })
  })
}

/** The user of an ID token, as far as the token says it. @throws as `Authenticator.account`, and the errors of bodies */
export function answerLookup(exchange: Exchange): Promise<Response> {
  return useJson(exchange, BODY, async (json) => {
    const { idToken } = checkBody('Lookup', json)
    const { uid, since } = await exchange.application.authenticator.account(idToken, originOf(exchange))
    const at = String(since * SECOND_MS)
    const users = [{ localId: uid, customAuth: true, createdAt: at, lastLoginAt: at }]
    return reply(exchange, { kind: 'identitytoolkit#GetAccountInfoResponse', users })
  })
}

/** Makes another ID token for a refresh token. @throws as `Authenticator.refresh`, and the errors of bodies */
export function answerRefresh(exchange: Exchange): Promise<Response> {
  return useText(exchange, BODY, async (text) => {
    const { application } = exchange
    const { uid, idToken, refreshToken } = await application.authenticator.refresh(
      refreshTokenOf(text),
      originOf(exchange),
    )
    return reply(exchange, {
      access_token: idToken,
      expires_in: EXPIRES_IN,
      token_type: 'Bearer',
      refresh_token: refreshToken,
      id_token: idToken,
      user_id: uid,
      project_id: application.id,
    })
  })
}

/** @throws `sign-in-not-offered` */
export function refuseSignIn(): never {
  throw new DholeError('sign-in-not-offered')
}

/** The answer to the request that a browser sends before a call. */
export function identityPreflight(): Response {
  const preflight = preflightReply()
  preflight.headers.set('Access-Control-Allow-Headers', HEADERS)
  return preflight
}

/** The refresh token of a form, or of JSON, which the SDKs of phones send. */
function refreshTokenOf(text: string): unknown {
  if (!text.startsWith('{')) return new URLSearchParams(text).get('refresh_token')
  const json = jsonOf(text)
  if (typeof json !== 'object' || json === null) throw new DholeError('bad-data')
  const name = ['refresh_token', 'refreshToken'].find((each) => Object.hasOwn(json, each))
  return name === undefined ? undefined : (json as Readonly<Record<string, unknown>>)[name]
}

function originOf(exchange: Exchange): CredentialOrigin {
  const { transport, request } = exchange
  return {
    address: transport.addressOf(exchange),
    isBearer: false,
    // Resolved only in development.
    get isLoopback() {
      if (!transport.isLocal(exchange)) return false
      transport.refuseForeign(request)
      return true
    },
  }
}

function reply(exchange: Exchange, json: object): Response {
  return formatReply(exchange, JSON.stringify(json), {})
}
