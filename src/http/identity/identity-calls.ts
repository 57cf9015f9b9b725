import type { Answer } from '../exchange.ts'
import { lookupWords, refreshWords, signInWords, type TokenWords } from './identity-errors.ts'
import { answerLookup, answerRefresh, answerSignIn } from './identity-routes.ts'

/** A call of Firebase Authentication that is offered. */
export interface IdentityCall {
  readonly path: string
  readonly answer: Answer
  /** Words for errors of its token. */
  readonly words: TokenWords
}

const NEWER = '/identitytoolkit.googleapis.com/v1/accounts:'
/** Where SDKs before version 9, and those of phones, call it. */
const OLDER = '/www.googleapis.com/identitytoolkit/v3/relyingparty/'

/** The calls that are offered, at the paths under which an SDK asks an emulator. @see docs/reference/protocol.md#sign-in */
export const IDENTITY_CALLS: readonly IdentityCall[] = [
  { path: `${NEWER}signInWithCustomToken`, answer: answerSignIn, words: signInWords },
  { path: `${OLDER}verifyCustomToken`, answer: answerSignIn, words: signInWords },
  { path: `${NEWER}lookup`, answer: answerLookup, words: lookupWords },
  { path: `${OLDER}getAccountInfo`, answer: answerLookup, words: lookupWords },
  { path: '/securetoken.googleapis.com/v1/token', answer: answerRefresh, words: refreshWords },
]

/** Paths of all others. */
export const IDENTITY_PATHS: readonly string[] = [
  ...['/identitytoolkit.googleapis.com/*', '/www.googleapis.com/*', '/securetoken.googleapis.com/*', '/emulator/*'],
]
