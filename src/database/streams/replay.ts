import type { MissedChanges } from '../../hub/hub.ts'
import type { NumberedChange } from '../../hub/topic.ts'
import { type Decision, isStillValid } from '../../rules/decision/decision.ts'
import { loopTurn } from '../../scheduling/loop-turn.ts'
import { TaskLimit } from '../../scheduling/task-limit.ts'
import { changeOf } from '../../store/rows/logged-writes.ts'
import type { LoggedChange, Position, TreeStore } from '../../store/store.ts'
import { covers, type Path } from '../../tree/path.ts'

/** Maximum missed commits: reading more of the log costs more than a new snapshot. */
const MOST_COMMITS = 20_000
/** Maximum data read from the log for one listener, in UTF-16 code units; more costs as much as a new snapshot. */
const MAX_LENGTH = 4 * 1024 * 1024
/** Maximum listeners whose missed changes are gathered at the same time. */
const AT_ONCE = 4
const gathering = new TaskLimit(AT_ONCE)

/** Listener that resumes. */
export interface Listener {
  /** Path of the node it listens to. */
  readonly path: Path
  /** Time at which the rules in force were set, in milliseconds since 1970. */
  readonly since: number
  /** The valid decision to read the node; `undefined` when no rule applies to the listener. */
  readonly decision: Decision | undefined
}

/**
 * Reads every change of a node after a position, up to the last durable commit.
 * @returns `undefined` when the log does not reach back that far, lacks data that was too large, or covers a time in which
 *   the decision may have been another one
 */
export function missedChanges(
  store: TreeStore,
  from: Position,
  listener: Listener,
): Promise<MissedChanges | undefined> {
  return gathering.run(() => gather(store, from, listener))
}

async function gather(store: TreeStore, from: Position, listener: Listener): Promise<MissedChanges | undefined> {
  if (store.position().seq - from.seq > MOST_COMMITS) return undefined
  const { path, since, decision } = listener
  const paths = decision?.dependsOn.paths ?? []
  const changes: NumberedChange[] = []
  let length = 0
  for (let after = from; ; ) {
    const range = await store.changesNear(after, [path, ...paths])
    if (range === undefined) return undefined
    length += range.length
    if (length > MAX_LENGTH) return undefined
    // The times of the log never go back.
    const hasSameRules = range.begunAt === undefined || range.begunAt > since
    const isWritten = () => range.changes.some((logged) => mayWrite(logged, paths))
    if (decision !== undefined && !isStillValid(decision, hasSameRules, isWritten)) return undefined
    for (const logged of range.changes) {
      if (!isNear(logged.path, path)) continue
      const change = changeOf(logged)
      if (change === undefined) return undefined
      changes.push(change)
    }
    if (range.isLast) return { changes, seq: range.seq }
    after = { epoch: from.epoch, seq: range.seq }
    // Others run between two reads of a long log.
    await loopTurn.pause()
  }
}

/** Whether a change may have written to one of these paths. */
function mayWrite(logged: LoggedChange, paths: readonly Path[]): boolean {
  const near = paths.filter((path) => isNear(logged.path, path))
  if (near.length === 0) return false
  const change = changeOf(logged)
  return change === undefined || change.writes.some(({ path }) => near.some((other) => isNear(path, other)))
}

/** Whether one of two paths is the other or above it. */
function isNear(left: Path, right: Path): boolean {
  return covers(left, right) || covers(right, left)
}
