import { DholeError, type ErrorCode } from '../../error.ts'
import type { ErrorFormat, Exchange } from '../exchange.ts'
import { type BodyOptions, useJson } from '../request/body.ts'
import { methodOf } from '../request/headers.ts'
import { failedReply, treeErrors } from '../response/error-reply.ts'
import { bodyOf } from '../response/error-texts.ts'
import { formatReply } from '../response/reply.ts'

/** Longest body: a token and a few characters around it. */
const BODY: BodyOptions = { maxBytes: 64 * 1024, malformed: 'bad-data', isTrusted: false }

/** Errors that have nothing to do with the token; they are worded as those of the tree. */
const GENERAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['app-not-named', 'app-unknown', 'unavailable', 'https-required', 'bad-path', 'method-not-allowed'] as const),
  ...(['bad-parameter', 'too-busy', 'body-too-slow', 'internal'] as const),
])

/** Clients of the token exchange read errors of another shape. */
export const tokenErrors: ErrorFormat = {
  errorOf: treeErrors.errorOf,
  reply: (exchange, error) => {
    if (GENERAL.has(error.code)) return treeErrors.reply(exchange, error)
    const { errcode, message } = bodyOf(error)
    const text = JSON.stringify({ error: { code: String(errcode), errorMessage: message } })
    return failedReply(exchange, error, text, {})
  },
}

/**
 * Exchanges a custom token for an ID token.
 * @throws `method-not-allowed`, and the errors of bodies and tokens
 * @see docs/reference/protocol.md#id-tokens
 */
export async function exchangeToken(exchange: Exchange): Promise<Response> {
  if (methodOf(exchange) !== 'POST') throw new DholeError('method-not-allowed')
  return useJson(exchange, BODY, async (json) => {
    const address = exchange.transport.addressOf(exchange)
    const idToken = await exchange.application.authenticator.exchange(tokenOf(json), { address, isBearer: false })
    return formatReply(exchange, JSON.stringify(idToken), {})
  })
}

/** @throws `bad-path` */
export function refuseTokenPath(): never {
  throw new DholeError('bad-path')
}

function tokenOf(json: unknown): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new DholeError('bad-data')
  return Object.hasOwn(json, 'token') ? (json as { readonly token: unknown }).token : undefined
}
