import { DholeError } from '../error.ts'

/** A node's priority; absent is `undefined`. */
export type Priority = string | number

/**
 * Parses the priority in a payload, or a payload that is a priority; JSON null means none.
 * @throws `priority-boolean`, `priority-type`, `bad-data` (not finite, a lone surrogate)
 * @see docs/reference/protocol.md#special-members
 */
export function parsePriority(json: unknown): Priority | undefined {
  if (json === null) return undefined
  if (typeof json === 'boolean') throw new DholeError('priority-boolean')
  if (typeof json === 'number' && Number.isFinite(json)) return json
  if (typeof json === 'string' && json.isWellFormed()) return json
  throw new DholeError(typeof json === 'object' ? 'priority-type' : 'bad-data')
}
