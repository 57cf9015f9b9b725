import { createHmac, timingSafeEqual } from 'node:crypto'

/** Said to the secret to get the key of ID tokens. No dot in it, so that it is never what a token's signature is of. */
const ID_TOKEN_LABEL = 'dhole id token key 1'
/** The same for the key of positions. */
const POSITION_LABEL = 'dhole position key 1'
const POSITION_KEY_BYTES = 16

/**
 * The super secret of an application: a credential itself, and the root of the keys that tokens are signed with.
 * @see docs/reference/protocol.md#credentials
 */
export class SuperSecret {
  /** Key of custom tokens: the secret itself, in UTF-8. */
  readonly customKey: Uint8Array
  /** Key of ID tokens, which only this service makes. Nobody who holds one learns the secret from it. */
  readonly idKey: Uint8Array
  /** Key of the ids of events, of 16 bytes. */
  readonly positionKey: Uint8Array
  readonly #digest: Buffer

  /** @throws TypeError when it is empty: then everybody would have it */
  constructor(text: string) {
    if (text === '') throw new TypeError('the super secret must not be empty')
    this.customKey = new TextEncoder().encode(text)
    this.idKey = this.#keyFor(ID_TOKEN_LABEL)
    this.positionKey = this.#keyFor(POSITION_LABEL).subarray(0, POSITION_KEY_BYTES)
    this.#digest = digest(text)
  }

  #keyFor(label: string): Uint8Array {
    return createHmac('sha256', this.customKey).update(label).digest()
  }

  /** Compares in a time that tells nothing of where two texts differ: digests have one length. */
  matches(text: string): boolean {
    return timingSafeEqual(digest(text), this.#digest)
  }
}

function digest(text: string): Buffer {
  return new Bun.CryptoHasher('sha256').update(text).digest()
}
