import { reasonOf } from '../../auth/token-parts.ts'
import type { DholeError, ErrorCode } from '../../error.ts'
import type { ErrorFormat } from '../exchange.ts'
import { allowedMethods, failedReply, knownError } from '../response/error-reply.ts'
import { bodyOf, statusOf } from '../response/error-texts.ts'

/** Words of Google's for errors of the token of one call. */
export type TokenWords = Readonly<Record<TokenErrorCode, string>>

const TOKEN_ERRORS = ['token-missing', 'bad-token', 'token-expired', 'token-payload', 'token-refused'] as const
type TokenErrorCode = (typeof TOKEN_ERRORS)[number]

/** An SDK signs its user out when it gets another word while it starts. */
const TRY_AGAIN = 'NETWORK_REQUEST_FAILED'
const UNKNOWN_KEY = 'INVALID_API_KEY'

/** Words for errors that have nothing to do with the token. */
const GENERAL: Partial<Record<ErrorCode, string>> = {
  'sign-in-not-offered': 'OPERATION_NOT_ALLOWED',
  'too-many-failures': 'TOO_MANY_ATTEMPTS_TRY_LATER',
  'app-unknown': UNKNOWN_KEY,
  'app-not-named': UNKNOWN_KEY,
  quota: TRY_AGAIN,
  unavailable: TRY_AGAIN,
  'too-busy': TRY_AGAIN,
  'body-too-slow': TRY_AGAIN,
  internal: TRY_AGAIN,
}
const OTHER = 'INVALID_REQUEST'

/** What is said of applications here: the client names them by its API key. */
const REASONS: Partial<Record<ErrorCode, string>> = {
  'app-unknown': 'there is no application of this name, which apiKey or the host name gives',
  'app-not-named': 'there are several applications, and apiKey names none of them',
}

/** Status of errors of a token, whatever is wrong with it. */
const REFUSED = 400

const ALL_ALIKE = (word: string, missing: string): TokenWords => ({
  'token-missing': missing,
  'bad-token': word,
  'token-expired': word,
  'token-payload': word,
  'token-refused': word,
})

export const signInWords = ALL_ALIKE('INVALID_CUSTOM_TOKEN', 'MISSING_CUSTOM_TOKEN')
export const lookupWords: TokenWords = {
  ...ALL_ALIKE('INVALID_ID_TOKEN', 'MISSING_ID_TOKEN'),
  'token-expired': 'TOKEN_EXPIRED',
}
/** The word with which an SDK signs its user out: a refresh token that is not good will never be. */
export const refreshWords = ALL_ALIKE('TOKEN_EXPIRED', 'MISSING_REFRESH_TOKEN')

/** Errors in the shape of Google's. @param words for errors of the token */
export function identityErrors(words: TokenWords): ErrorFormat {
  return {
    errorOf: knownError,
    reply: (exchange, error) => {
      const { status, text } = identityError(error, words)
      const reply = failedReply(exchange, error, text, {}, status)
      if (error.code === 'method-not-allowed') reply.headers.set('Allow', allowedMethods(exchange.endpoint))
      return reply
    },
  }
}

/** Status and body of an error. */
export function identityError(
  error: Pick<DholeError, 'code' | 'hint'>,
  words: TokenWords,
): { status: number; text: string } {
  const { code } = error
  const isOfToken = isTokenError(code)
  const status = isOfToken ? REFUSED : statusOf(code)
  const word = isOfToken ? words[code] : (GENERAL[code] ?? OTHER)
  const reason = error.hint ?? REASONS[code] ?? (isOfToken ? reasonOf(code) : bodyOf(error).error)
  const message = code === 'token-missing' ? word : `${word} : ${reason}`
  const errors = [{ message, domain: 'global', reason: 'invalid' }]
  return { status, text: JSON.stringify({ error: { code: status, message, errors } }) }
}

function isTokenError(code: ErrorCode): code is TokenErrorCode {
  return (TOKEN_ERRORS as readonly ErrorCode[]).includes(code)
}
