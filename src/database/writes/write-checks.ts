import { DholeError } from '../../error.ts'
import type { Limits } from '../../tree/limits.ts'
import { formatPath } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import type { Write, WritePlan } from '../../tree/write.ts'
import type { Authorizer } from '../access/authorizer.ts'
import { WRITE_SIZE_LIMIT, writeSeconds } from './write-size.ts'

/** Writes examined between two pauses. */
const PAUSE_EVERY = 1000

/**
 * Checks the estimated duration of a write.
 * @param maxSeconds limit of the request; without one the limit of the tree holds
 * @throws `write-too-big`
 */
export function* checkCost(
  { nodes: added, writes }: Pick<WritePlan, 'nodes' | 'writes'>,
  maxSeconds: number | undefined,
  limits: Limits,
): Reads<void> {
  const seconds = maxSeconds ?? writeSeconds((yield { kind: 'setting', name: WRITE_SIZE_LIMIT }) as string | undefined)
  if (seconds === undefined || seconds === Number.POSITIVE_INFINITY) return
  let nodes = added
  for (const write of writes) {
    if (write.kind === 'value') nodes += (yield { kind: 'size', path: write.path }) as number
  }
  if (nodes / limits.writeNodesPerSecond > seconds) throw new DholeError('write-too-big')
}

/**
 * The writes without the priorities of missing nodes. A priority needs a node that exists or that the same request makes.
 * @throws `priority-on-nothing` if the caller may read the path. For other callers the priority is dropped, and the
 *   answer is that of a successful write: it must not reveal whether the node exists.
 */
export function* dropPrioritiesOfNothing(
  { path, writes }: WritePlan,
  authorizer: Authorizer | undefined,
): Reads<readonly Write[]> {
  // Priorities come last.
  if (writes.at(-1)?.kind !== 'priority') return writes
  const lost = yield* prioritiesOfNothing(writes)
  if (lost.size === 0) return writes
  if (authorizer === undefined || (yield* authorizer.mayRead(path))) throw new DholeError('priority-on-nothing')
  return writes.filter((write) => !lost.has(write))
}

function* prioritiesOfNothing(writes: readonly Write[]): Reads<ReadonlySet<Write>> {
  const lost = new Set<Write>()
  const made = new Set<string>()
  for (const [index, write] of writes.entries()) {
    if (index % PAUSE_EVERY === 0) yield { kind: 'pause' }
    if (write.kind === 'value') addMade(made, write)
    // Priorities come last, so `made` is complete here.
    else if (write.priority !== undefined && !made.has(formatPath(write.path))) {
      if (!(yield { kind: 'exists', path: write.path })) lost.add(write)
    }
  }
  return lost
}

/** Adds the node that a write makes, and its ancestors. */
function addMade(made: Set<string>, { path, value }: Write & { kind: 'value' }): void {
  if (value === undefined) return
  for (let above = path; ; above = above.slice(0, -1)) {
    const text = formatPath(above)
    if (made.has(text)) return
    made.add(text)
    if (above.length === 0) return
  }
}
