import { DholeError, type ErrorCode } from '../../error.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { LARGE_BODY_BYTES } from '../../tree/limits.ts'
import { parseLongJson } from './parse-long-json.ts'

/** Drops a byte order mark; throws at anything that is not UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The JSON of a body, parsed at once where it is short, and in several turns of the event loop where it is not.
 * @param maxBytes limit of its length, from which bounds of its contents follow
 * @param malformed error of a body that is not JSON
 * @throws `malformed`; for a long body also `too-deep` and `write-too-big`
 * @see docs/reference/protocol.md#bodies
 */
export function parseBody(bytes: Uint8Array, maxBytes: number, malformed: ErrorCode): Awaitable<unknown> {
  if (bytes.byteLength > LARGE_BODY_BYTES) {
    return parseLongJson(bytes, maxBytes).catch((thrown) => {
      throw refusal(thrown, malformed)
    })
  }
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (cause) {
    throw refusal(cause, malformed)
  }
}

/** A body as text. @throws `malformed` where it is not UTF-8 */
export function textOf(bytes: Uint8Array, malformed: ErrorCode): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw refusal(cause, malformed)
  }
}

function refusal(thrown: unknown, malformed: ErrorCode): DholeError {
  return thrown instanceof DholeError ? thrown : new DholeError(malformed, undefined, { cause: thrown })
}
