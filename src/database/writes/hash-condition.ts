import { EvaluationPostponed } from '../../rules/expression/rule-errors.ts'
import { isLongToHash, textHasHash } from '../../tree/hash/simple-hash.ts'
import type { NodeText } from '../../tree/json/node-text.ts'
import type { Limits } from '../../tree/limits.ts'
import type { Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import { withPauses } from './plan-resolver.ts'
import type { ConditionBounds } from './write-operation.ts'

/** Rows of a node from which on it is read and hashed outside the transaction: less takes a few milliseconds. */
const MANY_ROWS = 512

/**
 * Whether the node at a path has a hash. @see textHasHash
 * @throws `read-too-big` for a node that no write could make; EvaluationPostponed
 */
export function* hasHash(path: Path, hash: string, limits: Limits, bounds: ConditionBounds): Reads<boolean> {
  const { holds, onPostponed, onDecided } = bounds
  if (holds !== undefined) return holds
  const postpone = (): never => {
    onPostponed?.()
    throw new EvaluationPostponed()
  }
  if (onPostponed !== undefined && ((yield { kind: 'size', path }) as number) > MANY_ROWS) postpone()
  const node = (yield { kind: 'node', path, maxLength: limits.maxWriteBytes }) as NodeText | undefined
  const text = node?.stored
  if (text !== undefined && onPostponed !== undefined && (yield* withPauses(isLongToHash(text)))) postpone()
  const has = yield* withPauses(textHasHash(text, hash))
  onDecided?.(has)
  return has
}
