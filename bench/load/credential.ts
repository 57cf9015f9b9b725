/** What requests show where they show something: tokens of users, made before the load. */
import type { Shot } from 'autocannon'
import { mintToken } from '../../src/auth/mint.ts'
import { SECRET, userName } from '../stock/club.ts'

export interface Credential {
  readonly carrier: 'url' | 'header'
  /** `one`: a user's requests all show the same token. `new`: each shows one that was not shown before. */
  readonly tokens: 'one' | 'new'
}

/**
 * New tokens of one user. Those of 16 users are more than a server remembers (10,000 tokens), so that one which comes
 * round again is as good as new.
 */
const NEW_TOKENS = 1250

/** The requests of one user with tokens. */
export async function shotsWith(
  { carrier, tokens }: Credential,
  user: number,
  shots: readonly Shot[],
): Promise<Shot[]> {
  if (tokens === 'one') {
    const token = await tokenOf(user)
    return shots.map((shot) => showing(shot, carrier, token))
  }
  const all = await Promise.all(Array.from({ length: NEW_TOKENS }, (_, number) => tokenOf(user, number)))
  return all.flatMap((token, number) => {
    const shot = shots[number % shots.length]
    return shot === undefined ? [] : [showing(shot, carrier, token)]
  })
}

/** @param number tokens of another number are other tokens of the same user */
export function tokenOf(user: number, number = 0): Promise<string> {
  return mintToken(SECRET, { uid: userName(user), claims: { number } })
}

function showing(shot: Shot, carrier: Credential['carrier'], token: string): Shot {
  if (carrier === 'url') return { ...shot, path: `${shot.path}?auth=${token}` }
  return { ...shot, headers: { ...shot.headers, authorization: `Bearer ${token}` } }
}
