import type { Application } from '../../applications/application.ts'
import { DholeError, type ErrorCode } from '../../error.ts'
import { type BodyOptions, useJson } from '../request/body.ts'
import type { Origin } from '../request/caller.ts'
import { methodOf } from '../request/method.ts'
import { withRequestId } from '../request/request-id.ts'
import { failedReply, knownError } from '../response/error-reply.ts'
import { dressedReply } from '../response/reply.ts'
import type { RawParameters } from '../url/parameters.ts'

const PATH = '/.auth/customTokenToIdToken.json'
const PREFIX = '/.auth/'
/** Largest body: a token, and the few characters around it. */
const BODY: BodyOptions = { maxBytes: 64 * 1024, malformed: 'bad-data', isTrusted: false }

export function isTokenExchange(rawPath: string): boolean {
  return rawPath.startsWith(PREFIX)
}

/**
 * Gives an ID token for a custom token.
 * @param onRefused hears of what is answered here with an error
 * @throws `bad-path` for another path, `method-not-allowed`
 * @see docs/reference/protocol.md#id-tokens
 */
export async function exchangeToken(
  rawPath: string,
  raw: RawParameters,
  application: Application,
  origin: Origin,
  onRefused: (error: DholeError) => void,
): Promise<Response> {
  if (rawPath !== PATH) throw new DholeError('bad-path')
  const { request, listener, transport } = origin
  if (methodOf(request, raw) !== 'POST') throw new DholeError('method-not-allowed')
  try {
    return await useJson(origin, BODY, async (json) => {
      const address = transport.addressOf(request, listener)
      const { authenticator } = (origin.stay ?? { application }).application
      const idToken = await authenticator.exchange(tokenOf(json), { address, isBearer: false })
      return dressedReply(JSON.stringify(idToken), {})
    })
  } catch (thrown) {
    const error = knownError(thrown)
    if (OF_THE_SERVICE.has(error.code)) throw thrown
    onRefused(error)
    return tokenRefusal(error, request)
  }
}

function tokenOf(json: unknown): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new DholeError('bad-data')
  return Object.hasOwn(json, 'token') ? (json as { readonly token: unknown }).token : undefined
}

/** Of the service and not of the token: told as everywhere. What nobody foresaw is for the log. */
const OF_THE_SERVICE: ReadonlySet<ErrorCode> = new Set(['internal', 'too-busy', 'body-too-slow'])

/** Clients of this one endpoint read another shape. */
export function tokenRefusal(error: DholeError, request: Request): Response {
  const { errcode, message } = error.body
  const text = JSON.stringify({ error: { code: String(errcode), errorMessage: message } })
  return withRequestId(failedReply(error, text, {}), request)
}
