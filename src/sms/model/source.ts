import { signatureOf } from './signature.ts'

/** Name of a gateway that reports with a token. */
export const SOURCE_PATTERN = '^[0-9A-Za-z_.-]{1,64}$'
const SOURCE = new RegExp(SOURCE_PATTERN)

export function isSource(text: string): boolean {
  return SOURCE.test(text)
}

/** Token with which a gateway reports without signing, valid until the key is replaced. @see docs/reference/protocol.md#signing */
export function tokenOf(source: string, key: string): string {
  return signatureOf([['source', source]], key)
}
