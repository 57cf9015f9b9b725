import { type AnyText, piecesOf } from './text-pieces.ts'

/** The tag of a path without a node. */
export const NULL_ETAG = 'null_etag'

/**
 * Tag of a node's whole content, priorities included: base64 of the SHA-256 of its stored text, 44 characters.
 * Equal content has an equal tag, whatever its history.
 * @param stored stored text, `undefined` for no node
 * @see docs/reference/protocol.md#conditional-requests
 */
export function etagOf(stored: AnyText | undefined): string {
  if (stored === undefined) return NULL_ETAG
  const hash = etagHash()
  for (const piece of piecesOf(stored)) hash.update(piece)
  return hash.digest('base64')
}

/** The hash of a tag, for a text in pieces. */
export function etagHash(): Bun.CryptoHasher {
  return new Bun.CryptoHasher('sha256')
}

/**
 * Whether a tag sent by a client names this content. Quotes and `W/` around it are accepted; `*` matches any node. The
 * text as sent is compared first, because a tag may itself begin with `W/`.
 */
export function etagMatches(sent: string, current: string): boolean {
  const trimmed = sent.trim()
  if (trimmed === current) return true
  const bare = trimmed.replace(/^W\//, '').replace(/^"(.*)"$/, '$1')
  return bare === '*' ? current !== NULL_ETAG : bare === current
}
