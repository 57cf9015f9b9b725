import type { Awaitable } from '../../scheduling/awaitable.ts'
import type { Steps } from '../../scheduling/steps.ts'
import type { JobOutcome } from '../../store/store.ts'
import type { NodeTags } from '../../tree/change.ts'
import { NULL_ETAG } from '../../tree/json/etag.ts'
import type { NodeText } from '../../tree/json/node-text.ts'
import { prepareText } from '../../tree/json/prepared-text.ts'
import { etagOfInSteps } from '../../tree/json/print-steps.ts'
import { formatPath, type Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import { isLargePlan, type Write, type WritePlan } from '../../tree/write.ts'
import { type Access, checkKeys } from '../access/access.ts'
import { withPauses } from './plan-resolver.ts'
import type { Decided } from './write-operation.ts'

/** Writes looked at between two pauses. */
const PAUSE_EVERY = 512

/** Listeners on the tree. */
export interface Watchers {
  /** Whether there is any listener. */
  readonly isWatched: boolean
  /** Paths of watched nodes below one. @param inclusive whether that one counts */
  watchedBelow(path: Path, inclusive: boolean): readonly Path[]
  /** Forms in which a change at a path is sent. */
  formsAt(path: Path): ReadonlySet<'plain' | 'export'>
  /** Resolves when no commit up to one waits for its delivery any more. */
  delivered(seq: number): Awaitable<unknown>
}

/**
 * Job of a write operation: decides, and hands the change to the store.
 * @param decided what the operation decides. It is not run before
 * @param onWrite called with the writes of the change, in the order of the transaction, before it is durable
 */
export function* writeJob<T>(
  decided: Reads<Decided<T>>,
  watchers: Watchers,
  onWrite?: (writes: readonly Write[]) => void,
  access: Access = {},
): Reads<JobOutcome<T>> {
  // It may have waited since the caller was identified.
  checkKeys(access)
  const { result, change } = yield* decided
  if (change === undefined) return { result, change }
  const { plan, path, writes, canStoreAhead } = change
  if ((yield* onlyDeletes(writes)) && !(yield* anyExists(writes))) return { result, change: undefined }
  const { kind } = plan
  const before = watchers.isWatched ? yield* tagsBefore(kind, writes, watchers) : undefined
  if (isLargePlan(plan) && watchers.isWatched) yield* prepareTexts(kind, path, writes, watchers)
  onWrite?.(writes)
  return { result, change: { kind, path, writes, before, canStoreAhead } }
}

/** Prints what listeners will get, so that it need not be printed in one go once it is durable. */
function* prepareTexts(kind: WritePlan['kind'], path: Path, writes: readonly Write[], watchers: Watchers): Reads<void> {
  const forms = watchers.formsAt(path)
  for (const [index, write] of writes.entries()) {
    if (index % PAUSE_EVERY === PAUSE_EVERY - 1) yield { kind: 'pause' }
    for (const form of forms) yield* withPauses(prepareText(write, [], form, false))
    if (write.kind === 'priority') continue
    for (const watched of watchers.watchedBelow(write.path, kind === 'patch')) {
      const below = watched.slice(write.path.length)
      for (const form of watchers.formsAt(watched)) {
        yield* withPauses(prepareText(write, below, form, form === 'plain'))
        // A node sent with priorities is compared by its stored text.
        if (form === 'export') yield* withPauses(prepareText(write, below, 'stored', true))
      }
    }
  }
}

/** Tags of watched nodes below written ones, before the write: it may leave some of them as they were. */
function* tagsBefore(
  kind: WritePlan['kind'],
  writes: readonly Write[],
  watchers: Watchers,
): Reads<ReadonlyMap<string, NodeTags> | undefined> {
  let tags: Map<string, NodeTags> | undefined
  for (const [index, write] of writes.entries()) {
    if (index % PAUSE_EVERY === PAUSE_EVERY - 1) yield { kind: 'pause' }
    if (write.kind === 'priority') continue
    for (const path of watchers.watchedBelow(write.path, kind === 'patch')) {
      const node = (yield { kind: 'node', path }) as NodeText | undefined
      tags ??= new Map()
      tags.set(formatPath(path), yield* withPauses(tagsOf(node)))
    }
  }
  return tags
}

function* tagsOf(node: NodeText | undefined): Steps<NodeTags> {
  if (node === undefined) return { plain: NULL_ETAG, stored: NULL_ETAG }
  const stored = yield* node.etagInSteps()
  const plain = yield* node.inSteps('plain')
  return { plain: plain === node.stored ? stored : yield* etagOfInSteps(plain), stored }
}

function* onlyDeletes(writes: readonly Write[]): Reads<boolean> {
  for (let index = 0; index < writes.length; index++) {
    const write = writes[index] as Write
    if ((write.kind === 'value' ? write.value : write.priority) !== undefined) return false
    if (index % PAUSE_EVERY === PAUSE_EVERY - 1) yield { kind: 'pause' }
  }
  return true
}

function* anyExists(writes: readonly Write[]): Reads<boolean> {
  for (const { path } of writes) if (yield { kind: 'exists', path }) return true
  return false
}
