import { PositionCipher } from './position-cipher.ts'
import { type SignedToken, verifySignature } from './signature.ts'
import type { SuperSecret } from './super-secret.ts'
import { TokenCache } from './token-cache.ts'

/** State that belongs to one super secret, and is dropped with it. */
export class Keyring {
  readonly secret: SuperSecret
  readonly cache = new TokenCache()
  readonly positions: PositionCipher
  /** Whether another secret has taken the place of this one: callers that were identified by it are so no longer. */
  isReplaced = false
  /** Tokens whose signatures are being verified. */
  readonly #verifying = new Map<string, Promise<SignedToken>>()

  constructor(secret: SuperSecret) {
    this.secret = secret
    this.positions = new PositionCipher(secret.positionKey)
  }

  /** Verifies a signature. Concurrent calls for the same token share one result. @see {@link verifySignature} */
  verify(text: string): Promise<SignedToken> {
    const known = this.#verifying.get(text)
    if (known !== undefined) return known
    const signed = verifySignature(text, this.secret).finally(() => this.#verifying.delete(text))
    this.#verifying.set(text, signed)
    return signed
  }
}
