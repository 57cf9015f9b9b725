import { checkIdempotencyKey } from '../../database/writes/idempotency-key.ts'

/** A string as the fields of HTTP have them: quotes around it, and a backslash before those within. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/

/**
 * The name that a client gives to its write, without the quotes around it; `undefined` when it gives none.
 * @throws `bad-parameter`
 * @see docs/reference/protocol.md#idempotent-writes
 */
export function idempotencyKeyOf(request: Request): string | undefined {
  const sent = request.headers.get('idempotency-key')?.trim()
  if (sent === undefined) return undefined
  const quoted = QUOTED.exec(sent)?.[1]
  const key = quoted === undefined ? sent : quoted.replace(/\\(.)/g, '$1')
  checkIdempotencyKey(key)
  return key
}
