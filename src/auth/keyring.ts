import { PositionCipher } from './position-cipher.ts'
import { type SignedToken, verifySignature } from './signature.ts'
import type { SuperSecret } from './super-secret.ts'
import { TokenCache } from './token-cache.ts'

/** All that is known under one super secret, and forgotten with it. */
export class Keyring {
  readonly secret: SuperSecret
  readonly cache = new TokenCache()
  readonly positions: PositionCipher
  /** Tokens whose signatures are being checked. */
  readonly #verifying = new Map<string, Promise<SignedToken>>()

  constructor(secret: SuperSecret) {
    this.secret = secret
    this.positions = new PositionCipher(secret.positionKey)
  }

  /** Checks a signature; whoever asks for the same token meanwhile gets the same answer. @see {@link verifySignature} */
  verify(text: string): Promise<SignedToken> {
    const known = this.#verifying.get(text)
    if (known !== undefined) return known
    const signed = verifySignature(text, this.secret).finally(() => this.#verifying.delete(text))
    this.#verifying.set(text, signed)
    return signed
  }
}
