import type { Auth } from '../../../auth/caller.ts'
import { DholeError, type ErrorCode } from '../../../error.ts'
import type { ErrorFormat, Exchange } from '../../exchange.ts'
import { type BodyOptions, useJson } from '../../request/body.ts'
import { treeErrors } from '../../response/error-reply.ts'
import { jsonReply } from '../../response/reply.ts'

/** Longest body: a token and a few characters around it. */
const BODY: BodyOptions = { maxBytes: 64 * 1024, malformed: 'bad-data', isTrusted: false }
/** Codes of the Auth SDK. @see docs/reference/sdk-protocol.md#error-codes */
const FAILED = 22_001
const CODES: Partial<Record<ErrorCode, number>> = {
  'token-expired': 22_002,
  'bad-token': 22_004,
  'token-payload': 22_004,
  'token-refused': 22_004,
}

/** Errors as SDKs 2 of Wilddog read them: in the body of a success. */
export const signInErrors: ErrorFormat = {
  errorOf: treeErrors.errorOf,
  reply: (exchange, { code, message }) =>
    jsonReply(exchange, JSON.stringify({ errcode: CODES[code] ?? FAILED, message, error: message })),
}

/**
 * Signs a user in with a custom token. The token itself is what the client then sends to the database, so it is valid as
 * long as its backend has said.
 * @throws `method-not-allowed`, and the errors of bodies and tokens
 * @see docs/reference/sdk-protocol.md#wilddogs-sdks
 */
export function verifyCustomToken(exchange: Exchange): Promise<Response> {
  return withToken(exchange, 'token', (idToken) => ({ idToken }))
}

/** What is known of the user of a token. @throws as `verifyCustomToken` */
export function accountInfo(exchange: Exchange): Promise<Response> {
  return withToken(exchange, 'idToken', (_, { uid, provider = 'custom' }) => ({
    users: [{ localId: uid, providerId: provider, providerUserInfo: [] }],
  }))
}

/** @param name member of the body that is the token */
async function withToken(
  exchange: Exchange,
  name: string,
  answer: (token: string, auth: Auth) => object,
): Promise<Response> {
  if (exchange.method !== 'POST') throw new DholeError('method-not-allowed')
  return useJson(exchange, BODY, async (json) => {
    const token = typeof json === 'object' && json !== null ? new Map(Object.entries(json)).get(name) : undefined
    if (typeof token !== 'string') throw new DholeError('bad-token')
    const { application, transport } = exchange
    const from = { address: transport.addressOf(exchange), isBearer: false, isLoopback: false }
    const { auth } = await application.authenticator.authenticate(token, from)
    return jsonReply(exchange, JSON.stringify(answer(token, auth ?? {})))
  })
}
