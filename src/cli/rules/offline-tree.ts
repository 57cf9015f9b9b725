import { NodeText } from '../../tree/json/node-text.ts'
import { parsePayload } from '../../tree/json/payload.ts'
import { print } from '../../tree/json/print.ts'
import { PRIORITY } from '../../tree/key.ts'
import { defaultLimits } from '../../tree/limits.ts'
import type { ReadAnswer, ReadRequest, Reads } from '../../tree/read-program.ts'
import { type Branch, isBranch, leafOf, ownMember, VALUE, type Value, valueAt } from '../../tree/value.ts'

/** A whole tree in memory; `undefined` for an empty one. */
export type OfflineTree = Value | undefined

/**
 * The tree of this JSON.
 * @param json as `format=export` prints it, or as a PUT would send it, but without server values
 * @throws as `parsePayload`; Error for a server value
 */
export function offlineTree(json: unknown): OfflineTree {
  const { value, serverValues } = parsePayload(json, [], defaultLimits)
  if (serverValues.length > 0) throw new Error('a stored tree holds no server values')
  return value
}

/** Runs a read program to its end, in one turn of the event loop. */
export function runOffline<T>(tree: OfflineTree, reads: Reads<T>): T {
  let step = reads.next()
  while (!step.done) step = reads.next(answer(tree, step.value))
  return step.value
}

/** Answer of a store with this tree. */
function answer(tree: OfflineTree, request: ReadRequest): ReadAnswer {
  if (request.kind === 'pause' || request.kind === 'setting') return undefined
  const value = tree === undefined ? undefined : valueAt(tree, request.path)
  switch (request.kind) {
    case 'node':
      return value === undefined ? undefined : new NodeText(print(value, 'stored'))
    case 'leaf':
      return value === undefined ? undefined : leafOf(value)
    case 'exists':
      return value !== undefined
    case 'count':
      return isBranch(value) ? childKeys(value).length : 0
    case 'size':
      return countNodes(value)
    default:
      return request satisfies never
  }
}

/** Keys of the children; none for a leaf, even with a priority. */
function childKeys(branch: Branch): readonly string[] {
  return Object.keys(branch).filter((key) => key !== PRIORITY && key !== VALUE)
}

function countNodes(value: Value | undefined): number {
  if (value === undefined) return 0
  if (!isBranch(value)) return 1
  return childKeys(value).reduce((sum, key) => sum + countNodes(ownMember(value, key)), 1)
}
