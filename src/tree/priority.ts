import { DholeError } from '../error.ts'
import { utf8Length } from './key.ts'

/** A node's priority; absent is `undefined`. */
export type Priority = string | number

/** Longest string, in bytes of UTF-8. A priority is stored as one text: a longer one would block the event loop. */
const MAX_BYTES = 1024 * 1024

/**
 * Parses the priority in a payload, or a payload that is a priority; JSON null means none.
 * @throws `priority-boolean`, `priority-type`, `bad-data` (not finite, a lone surrogate), `leaf-too-big`
 * @see docs/reference/protocol.md#special-members
 */
export function parsePriority(json: unknown): Priority | undefined {
  if (json === null) return undefined
  if (typeof json === 'boolean') throw new DholeError('priority-boolean')
  if (typeof json === 'number' && Number.isFinite(json)) return json
  if (typeof json === 'string' && json.isWellFormed()) {
    if (json.length * 3 > MAX_BYTES && utf8Length(json) > MAX_BYTES) throw new DholeError('leaf-too-big')
    return json
  }
  throw new DholeError(typeof json === 'object' ? 'priority-type' : 'bad-data')
}
