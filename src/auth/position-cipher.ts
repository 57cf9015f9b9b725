import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv } from 'node:crypto'

/** Bytes of one block: one half identifies the tree, the other is the number of the commit. */
const BLOCK_BYTES = 16
const HALF = BLOCK_BYTES / 2
const TEXT = /^[A-Za-z0-9_-]{22}$/

/** Position of a commit in the history of one tree. */
interface Position {
  readonly epoch: string
  readonly seq: number
}

/**
 * Encrypts positions into opaque ids: a reader of one node must not learn how many commits other nodes had. A position is
 * one AES block, so equal positions have equal ids. Half of the block is checked, so a guessed id is accepted once in
 * 2^64 times.
 */
export class PositionCipher {
  readonly #cipher: Cipheriv
  readonly #decipher: Decipheriv
  readonly #block = Buffer.alloc(BLOCK_BYTES)
  /** Epoch of the last tree: an application has one. */
  #epoch: string | undefined
  #name: Buffer = Buffer.alloc(HALF)
  /** The last position that was encrypted: many replies in a row have the same. */
  #last: (Position & { readonly id: string }) | undefined

  /** @param key of 16 bytes */
  constructor(key: Uint8Array) {
    this.#cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
    this.#decipher = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  }

  /** @returns 22 characters of base64url */
  idOf({ epoch, seq }: Position): string {
    if (this.#last?.seq === seq && this.#last.epoch === epoch) return this.#last.id
    this.#nameOf(epoch).copy(this.#block)
    this.#block.writeBigUInt64BE(BigInt(seq), HALF)
    const id = this.#cipher.update(this.#block).toString('base64url')
    this.#last = { epoch, seq, id }
    return id
  }

  /** Number of the commit of an id; `undefined` for an id that this key did not make for this tree. */
  seqOf(id: string, epoch: string): number | undefined {
    if (!TEXT.test(id)) return undefined
    const block = this.#decipher.update(Buffer.from(id, 'base64url'))
    if (!block.subarray(0, HALF).equals(this.#nameOf(epoch))) return undefined
    const seq = Number(block.readBigUInt64BE(HALF))
    return Number.isSafeInteger(seq) ? seq : undefined
  }

  #nameOf(epoch: string): Buffer {
    if (epoch !== this.#epoch) {
      this.#name = new Bun.CryptoHasher('sha256').update(epoch).digest().subarray(0, HALF)
      this.#epoch = epoch
    }
    return this.#name
  }
}
