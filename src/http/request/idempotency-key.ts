import { checkIdempotencyKey } from '../../database/writes/idempotency-key.ts'

/** A quoted string of HTTP, with backslashes before quotes and backslashes. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/

/**
 * The idempotency key of a write, without quotes; `undefined` where there is none.
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
