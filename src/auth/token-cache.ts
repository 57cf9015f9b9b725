import type { Caller } from './caller.ts'

/** A verified token. */
export interface VerifiedToken {
  readonly kind: 'id' | 'custom'
  readonly caller: Caller
}

/** Bounds of a cache of tokens. */
export interface CacheBounds {
  readonly maxTokens: number
  /** Total length of all tokens, in characters. */
  readonly maxLength: number
}

/** Enough for some thousand users. A token has a few hundred characters; long tokens must not fill the memory. */
const defaultBounds: CacheBounds = { maxTokens: 10_000, maxLength: 4 * 1024 * 1024 }

/** Verified tokens until they expire. Bounded; the least recently used token is removed first. */
export class TokenCache {
  readonly #bounds: CacheBounds
  /** In the order of the last use. */
  readonly #tokens = new Map<string, VerifiedToken>()
  #length = 0

  constructor(bounds: CacheBounds = defaultBounds) {
    this.#bounds = bounds
  }

  /** @param now in milliseconds since 1970 */
  get(text: string, now: number): VerifiedToken | undefined {
    const token = this.#tokens.get(text)
    if (token === undefined) return undefined
    this.#delete(text)
    if (now >= expiryOf(token)) return undefined
    this.#add(text, token)
    return token
  }

  set(text: string, token: VerifiedToken): void {
    if (text.length > this.#bounds.maxLength) return
    this.#delete(text)
    this.#add(text, token)
    for (const oldest of this.#tokens.keys()) {
      if (this.#tokens.size <= this.#bounds.maxTokens && this.#length <= this.#bounds.maxLength) return
      this.#delete(oldest)
    }
  }

  #add(text: string, token: VerifiedToken): void {
    this.#tokens.set(text, token)
    this.#length += text.length
  }

  #delete(text: string): void {
    if (this.#tokens.delete(text)) this.#length -= text.length
  }
}

function expiryOf({ caller }: VerifiedToken): number {
  return caller.expiresAt ?? Number.POSITIVE_INFINITY
}
