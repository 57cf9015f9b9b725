import type { JobReads, ReadAnswer, ReadRequest } from '../../../tree/read-program.ts'
import { Lookup, type SlotSource } from '../../rows/lookup.ts'
import type { IdempotencyRecords } from '../log/idempotency-records.ts'
import type { SessionRows } from '../log/session-rows.ts'
import type { SettingTexts } from '../log/settings.ts'
import type { TreeReader } from './tree-reader.ts'

/** Requests answered between two pauses. */
const ANSWERS_BEFORE_PAUSE = 64

/**
 * Runs logic that reads, answering what it asks; pauses wherever the reading does.
 * @param slots finds slots in the same transaction as the reader
 * @param job what only a job may ask for, in the same transaction
 */
export function* runReads<T>(
  logic: JobReads<T>,
  reader: TreeReader,
  settings: SettingTexts,
  slots: SlotSource = reader,
  job?: { readonly records: IdempotencyRecords; readonly sessions: SessionRows },
): Generator<void, T> {
  const lookup = new Lookup(reader.subtrees, slots)
  let step = logic.next()
  for (let answered = 1; !step.done; answered++) {
    const { value: request } = step
    if (answered % ANSWERS_BEFORE_PAUSE === 0) yield
    // Only a request that can take long has a generator of its own.
    if (request.kind === 'node') {
      step = logic.next(yield* reader.node(request.path, request.maxLength ?? Number.POSITIVE_INFINITY))
    } else if (request.kind === 'size') step = logic.next(yield* reader.size(request.path))
    else if (request.kind === 'leaf') {
      const leaf = lookup.leaf(request.path)
      step = logic.next(typeof leaf === 'object' ? yield* reader.subtrees.string(leaf.text) : leaf)
    } else if (request.kind === 'pause') step = logic.next(yield)
    else if (request.kind === 'idempotency-record') step = logic.next(job?.records.text(request.key))
    else if (request.kind === 'session') step = logic.next(job?.sessions.has(request.session, request.position))
    else if (request.kind === 'is-turn') step = logic.next(request.isTurn())
    else step = logic.next(answer(request, lookup, settings))
  }
  return step.value
}

function answer(
  request: Exclude<ReadRequest, { kind: 'node' | 'leaf' | 'size' | 'pause' }>,
  lookup: Lookup,
  settings: SettingTexts,
): ReadAnswer {
  switch (request.kind) {
    case 'exists':
      return lookup.exists(request.path)
    case 'count':
      return lookup.count(request.path)
    case 'setting':
      return settings.get(request.name)
    default:
      return request satisfies never
  }
}
