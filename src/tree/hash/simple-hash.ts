import type { Steps } from '../../scheduling/steps.ts'
import { etagOfInSteps } from '../json/print-steps.ts'
import { type AnyText, joined } from '../json/text-pieces.ts'
import { LARGE_BODY_BYTES } from '../limits.ts'
import { type Hashes, KnownHashes } from './known-hashes.ts'
import { TextHasher } from './text-hasher.ts'

/** The hashes of texts that were hashed last: contended nodes, and what thousands of clients listen to. */
const known = new KnownHashes()

/**
 * Whether a client has computed a hash of this value: base64 of SHA-1, `''` of no value. Children are ordered by priority
 * and then by key. A text that was hashed before is not hashed again.
 * @param text with priorities; `undefined` for no value
 * @see docs/reference/sdk-protocol.md#hashes
 */
export function* textHasHash(text: AnyText | undefined, hash: string): Steps<boolean> {
  if (text === undefined || text === 'null') return hash === ''
  if (hash === '') return false
  const hashes = yield* hashesOf(text)
  return hashes.exact === hash || hashes.javascript === hash
}

/** Whether `textHasHash` takes long for a text. */
export function* isLongToHash(text: AnyText): Steps<boolean> {
  return text.length > LARGE_BODY_BYTES && known.get(yield* nameOf(text)) === undefined
}

function* hashesOf(text: AnyText): Steps<Hashes> {
  const name = yield* nameOf(text)
  const found = known.get(name)
  if (found !== undefined) return found
  const whole = joined(text)
  const hasher = new TextHasher(whole, 'exact')
  const exact = yield* hasher.hash()
  const javascript = hasher.isAmbiguous ? yield* new TextHasher(whole, 'javascript').hash() : exact
  const hashes = { exact, javascript }
  known.set(name, hashes)
  return hashes
}

/** What a text is known by: itself, or its tag where it is long. */
function* nameOf(text: AnyText): Steps<string> {
  return typeof text === 'string' && text.length <= LARGE_BODY_BYTES ? text : yield* etagOfInSteps(text)
}
