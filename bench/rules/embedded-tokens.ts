/** Judging tokens without HTTP, in a process of its own. */

import { Authenticator } from '../../src/auth/authenticator.ts'
import { FailedAttempts } from '../../src/auth/failed-attempts.ts'
import { answer, requestOf } from '../harness/child.ts'
import { medianCpuMicroseconds, type SliceOptions, timeInTurns } from '../harness/slices.ts'
import { tokenOf } from '../load/credential.ts'
import { SECRET } from '../stock/club.ts'

export type EmbeddedTokenRequest = SliceOptions

/** Microseconds of processor time each: what waits for a thread of the engine is not the gate's. */
export interface EmbeddedTokenFigures {
  /** A token that the gate does not know. */
  readonly first: number
  /** One of a thousand that it knows. */
  readonly later: number
  /** Checking the signature alone, the key ready. */
  readonly hmac: number
}

/** More than a gate remembers (10,000): one that comes round again is as good as new. */
const NEW_TOKENS = 12_000
const KNOWN_TOKENS = 1000
const NO_ADDRESS = { address: undefined, isBearer: false }

async function measureTokens(request: EmbeddedTokenRequest): Promise<EmbeddedTokenFigures> {
  const fresh = await tokens(NEW_TOKENS)
  const known = fresh.slice(0, KNOWN_TOKENS)
  const gate = () => new Authenticator({ application: 'app', secret: SECRET, failedAttempts: new FailedAttempts(0) })
  const [newcomers, regulars] = [gate(), gate()]
  for (const token of known) await regulars.authenticate(token, NO_ADDRESS)
  const verify = await signatureCheck(known)
  const [first, later, hmac] = await timeInTurns(
    [
      (index) => newcomers.authenticate(fresh[index % fresh.length], NO_ADDRESS),
      (index) => regulars.authenticate(known[index % known.length], NO_ADDRESS),
      verify,
    ],
    request,
  )
  if (!(first && later && hmac)) throw new Error('A measure is missing')
  return { first: medianCpuMicroseconds(first), later: medianCpuMicroseconds(later), hmac: medianCpuMicroseconds(hmac) }
}

async function tokens(count: number): Promise<string[]> {
  const all: string[] = []
  for (let number = 0; number < count; number++) all.push(await tokenOf(0, number))
  return all
}

/** Checks the signature of a token and nothing else. */
async function signatureCheck(known: readonly string[]): Promise<(index: number) => Promise<boolean>> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const encoder = new TextEncoder()
  const key = await crypto.subtle.importKey('raw', encoder.encode(SECRET), algorithm, false, ['verify'])
  const parts = known.map((token) => {
    const end = token.lastIndexOf('.')
    return { signed: encoder.encode(token.slice(0, end)), signature: Buffer.from(token.slice(end + 1), 'base64url') }
  })
  return async (index) => {
    const part = parts[index % parts.length]
    if (part === undefined || !(await crypto.subtle.verify('HMAC', key, part.signature, part.signed))) {
      throw new Error('A signature is wrong')
    }
    return true
  }
}

if (import.meta.main) answer(await measureTokens(requestOf<EmbeddedTokenRequest>()))
