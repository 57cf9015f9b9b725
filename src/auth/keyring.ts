import { PositionCipher } from './position-cipher.ts'
import { readSigned, type SignedToken } from './signature.ts'
import type { SuperSecret } from './super-secret.ts'
import { TokenCache } from './token-cache.ts'

/** All that is known under one super secret, and forgotten with it. */
export class Keyring {
  readonly secret: SuperSecret
  readonly cache = new TokenCache()
  readonly positions: PositionCipher
  /** Tokens whose signatures are being checked. */
  readonly #underWay = new Map<string, Promise<SignedToken>>()

  constructor(secret: SuperSecret) {
    this.secret = secret
    this.positions = new PositionCipher(secret.positionKey)
  }

  /** Checks a signature; whoever asks for the same token meanwhile gets the same answer. @see {@link readSigned} */
  signed(text: string): Promise<SignedToken> {
    const known = this.#underWay.get(text)
    if (known !== undefined) return known
    const signed = readSigned(text, this.secret).finally(() => this.#underWay.delete(text))
    this.#underWay.set(text, signed)
    return signed
  }
}
