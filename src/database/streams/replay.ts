import pLimit from 'p-limit'
import type { MissedChanges } from '../../hub/hub.ts'
import type { NumberedChange } from '../../hub/topic.ts'
import type { LoggedChange, Position, TreeStore } from '../../store/store.ts'
import { parseStored } from '../../tree/json/print.ts'
import { covers, endsInPriority, type Path } from '../../tree/path.ts'
import type { Priority } from '../../tree/priority.ts'
import type { Value } from '../../tree/value.ts'
import type { Write } from '../../tree/write.ts'
import type { Authorizer } from '../access/authorizer.ts'

/** Commits that may have been missed: to look through more of the log costs more than to begin anew. */
const MOST_COMMITS = 20_000
/** Most that is read of the log for one listener, in UTF-16 code units: more is no cheaper than all there is. */
const MAX_LENGTH = 4 * 1024 * 1024
/** Listeners for whom it is gathered at once. */
const AT_ONCE = 4
const gathering = pLimit(AT_ONCE)

/** For whom changes are gathered. */
export interface Listener {
  /** The node it listens to. */
  readonly path: Path
  /** Time up to which the rules may have been others, in milliseconds since 1970; `undefined` where none apply. */
  readonly since: number | undefined
  /** Says what it may read. */
  readonly judge: Authorizer | undefined
}

/**
 * Every change of a node after a position, up to the last durable commit.
 * @returns `undefined` when the log does not reach back that far, leaves out something too large, or tells of a time in
 *   which the listener may not have been allowed to read
 */
export function missedChanges(
  store: TreeStore,
  from: Position,
  listener: Listener,
): Promise<MissedChanges | undefined> {
  return gathering(() => gather(store, from, listener))
}

async function gather(store: TreeStore, from: Position, listener: Listener): Promise<MissedChanges | undefined> {
  if (store.position().seq - from.seq > MOST_COMMITS) return undefined
  const places = await placesLookedAt(store, listener)
  if (places === undefined) return undefined
  const { path, since } = listener
  const changes: NumberedChange[] = []
  let length = 0
  for (let after = from; ; ) {
    const stretch = await store.changesNear(after, [path, ...places])
    if (stretch === undefined) return undefined
    // The times of the log never go back.
    if (since !== undefined && stretch.begunAt !== undefined && stretch.begunAt <= since) return undefined
    length += stretch.length
    if (length > MAX_LENGTH) return undefined
    for (const logged of stretch.changes) {
      if (mayTouch(logged, places)) return undefined
      if (!isNear(logged.path, path)) continue
      const change = changeOf(logged)
      if (change === undefined) return undefined
      changes.push(change)
    }
    if (stretch.isLast) return { changes, seq: stretch.seq }
    after = { epoch: from.epoch, seq: stretch.seq }
    // Reading a long log is nobody else's business.
    await new Promise(setImmediate)
  }
}

/** Places that the permission of a listener depends on; `undefined` when it depends on the time of day. */
async function placesLookedAt(store: TreeStore, { path, judge }: Listener): Promise<readonly Path[] | undefined> {
  if (judge === undefined) return []
  const { verdict, looked } = await store.read(() => judge.decideRead(path, undefined))
  return verdict.timeless ? looked : undefined
}

/** Whether a change may have written to one of some places. */
function mayTouch(logged: LoggedChange, places: readonly Path[]): boolean {
  const near = places.filter((place) => isNear(logged.path, place))
  if (near.length === 0) return false
  const change = changeOf(logged)
  return change === undefined || change.writes.some(({ path }) => near.some((place) => isNear(path, place)))
}

/** Whether one of two places is the other or above it. */
function isNear(left: Path, right: Path): boolean {
  return covers(left, right) || covers(right, left)
}

function changeOf({ seq, kind, path, data }: LoggedChange): NumberedChange | undefined {
  if (data === undefined) return undefined
  if (kind === 'put') return { seq, kind, path, writes: [writeOf(path, parse(data))] }
  const members = Object.entries(JSON.parse(data) as Readonly<Record<string, unknown>>)
  const writes = members.map(([key, json]) => writeOf([...path, ...key.split('/')], parse(JSON.stringify(json))))
  return { seq, kind, path, writes }
}

function parse(text: string): Value | undefined {
  return text === 'null' ? undefined : parseStored(text)
}

function writeOf(path: Path, value: Value | undefined): Write {
  if (!endsInPriority(path)) return { kind: 'value', path, value }
  return { kind: 'priority', path: path.slice(0, -1), priority: value as Priority | undefined }
}
