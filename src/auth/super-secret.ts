import { createHmac, timingSafeEqual } from 'node:crypto'

/** Label of the key of ID tokens. It has no dot, so that it is never the signed text of a token. */
const ID_TOKEN_LABEL = 'dhole id token key 1'
/** Label of the key of positions. */
const POSITION_LABEL = 'dhole position key 1'
const POSITION_KEY_BYTES = 16

/**
 * The super secret of an application: a credential itself, and the root of the keys that tokens are signed with.
 * @see docs/reference/protocol.md#credentials
 */
export class SuperSecret {
  /** Key of custom tokens: the secret itself, in UTF-8. */
  readonly customKey: Uint8Array
  /** Key of ID tokens, which only this service issues. It does not reveal the secret. */
  readonly idKey: Uint8Array
  /** Key of event ids, 16 bytes. */
  readonly positionKey: Uint8Array
  readonly #digest: Buffer

  /** @throws TypeError when it is empty */
  constructor(text: string) {
    if (text === '') throw new TypeError('the super secret must not be empty')
    this.customKey = new TextEncoder().encode(text)
    this.idKey = this.keyFor(ID_TOKEN_LABEL)
    this.positionKey = this.keyFor(POSITION_LABEL).subarray(0, POSITION_KEY_BYTES)
    this.#digest = digest(text)
  }

  /** A key for one purpose, which does not reveal the secret. @param label without a dot, unlike the signed text of a token */
  keyFor(label: string): Uint8Array {
    return createHmac('sha256', this.customKey).update(label).digest()
  }

  /** Compares in constant time: the digests have equal lengths. */
  matches(text: string): boolean {
    return timingSafeEqual(digest(text), this.#digest)
  }
}

function digest(text: string): Buffer {
  return new Bun.CryptoHasher('sha256').update(text).digest()
}
