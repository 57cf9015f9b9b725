/** Which requests the mix has, and in what order they come. */

const SHARES = {
  /** Of a few leaves, the ones that streams listen to. */
  'GET hot leaf': 30,
  /** Of leaves all over the tree. */
  'GET scattered leaf': 40,
  'GET 1 KB': 20,
  /** Of a leaf that streams listen to. */
  'PUT watched leaf': 4,
  /** Of leaves all over the tree. */
  'PUT scattered leaf': 4,
  /** Of 20 children in the order of one of their own. */
  'GET query': 2,
} as const

export type MixedRequest = keyof typeof SHARES
export type Kind = 'get' | 'put' | 'query'

/** Requests after which the order begins anew. */
export const CYCLE = 100
/** Coprime to the cycle, so that its multiples spread every kind over all of it. */
const STRIDE = 37

const SORTED = Object.entries(SHARES).flatMap(([request, share]) =>
  new Array<MixedRequest>(share).fill(request as MixedRequest),
)
const ORDER = SORTED.map((_, index) => SORTED[(index * STRIDE) % CYCLE] ?? 'GET hot leaf')

/** @param index of the request, from 0 on, whichever client sends it */
export function requestAt(index: number): MixedRequest {
  return ORDER[index % CYCLE] ?? 'GET hot leaf'
}

export function kindOf(request: MixedRequest): Kind {
  if (request === 'GET query') return 'query'
  return request.startsWith('PUT') ? 'put' : 'get'
}
