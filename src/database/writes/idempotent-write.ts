import { DholeError } from '../../error.ts'
import type { CommitContext, JobOutcome, NotedChange } from '../../store/store.ts'
import type { Change } from '../../tree/change.ts'
import { NodeText } from '../../tree/json/node-text.ts'
import type { JsonText } from '../../tree/json/print.ts'
import { joined } from '../../tree/json/text-pieces.ts'
import { formatPath, type Path } from '../../tree/path.ts'
import type { JobReads, Reads } from '../../tree/read-program.ts'
import type { WritePlan } from '../../tree/write.ts'
import type { Repeatable } from './idempotency-key.ts'
import {
  type Appended,
  appendJob,
  etagAfter,
  type JobParts,
  type NewChild,
  noteLarge,
  oldNumbers,
  type WriteOutcome,
  withPauses,
  writeJob,
} from './write-job.ts'

/**
 * What became of a write: what its answer cannot be made from once more when the same request is there again. The value
 * is not in it, so it is short however long that is.
 */
type Memory =
  | {
      readonly kind: 'written'
      /** What server values came from; old numbers in the order of the increments, `null` where none was. */
      readonly now: number
      readonly old: readonly (number | null)[]
    }
  | { readonly kind: 'appended'; readonly name: string; readonly now: number }
  /** The condition did not hold; what stood there. */
  | { readonly kind: 'mismatch'; readonly current: JsonText | null }

/**
 * Longest text kept of what a condition did not hold for, in UTF-16 code units. A request of a few bytes leaves it, and a
 * million of them are kept: with 4096 they could fill gigabytes.
 */
const MAX_CURRENT = 512

/** As `writeJob`, once: the same request again is told what became of it. @throws `key-reused` for another request */
export function* writeOnce(
  asked: Repeatable,
  plan: WritePlan,
  parts: JobParts,
  context: CommitContext,
  decide: (outcome: WriteOutcome) => void,
): JobReads<JobOutcome> {
  const memory = yield* recall(asked)
  if (memory !== undefined) {
    decide(yield* outcomeAgain(memory, plan))
    return undefined
  }
  const increments = incrementsOf(plan)
  const before = increments.length === 0 ? undefined : yield* oldNumbers(plan)
  let outcome: WriteOutcome | undefined
  const change = yield* writeJob(plan, parts, context, (decided) => {
    outcome = decided
    decide(decided)
  })
  if (outcome?.kind === 'mismatch') return mismatched(asked, outcome.current)
  const old =
    before === undefined || before.size === 0 ? [] : increments.map((path) => before.get(formatPath(path)) ?? null)
  return noted(asked, change, { kind: 'written', now: context.now, old })
}

/** As `appendJob`, once. @throws `key-reused` for another request */
export function* appendOnce(
  asked: Repeatable,
  child: NewChild,
  checked: WritePlan,
  parts: JobParts,
  context: CommitContext,
  decide: (appended: Appended) => void,
): JobReads<JobOutcome> {
  const memory = yield* recall(asked)
  if (memory !== undefined) {
    decide(yield* appendedAgain(memory, checked))
    return undefined
  }
  let name = ''
  const change = yield* appendJob(child, checked, parts, context, (decided) => {
    name = decided.name
    decide(decided)
  })
  return noted(asked, change, { kind: 'appended', name, now: context.now })
}

/** What became of it when it came before. */
function* recall({ key, fingerprint }: Repeatable): JobReads<Memory | undefined> {
  const text = (yield { kind: 'note', key }) as string | undefined
  if (text === undefined) return undefined
  const [of, memory] = JSON.parse(text) as [string, Memory]
  if (of !== fingerprint) throw new DholeError('key-reused')
  return memory
}

function noted({ key, fingerprint }: Repeatable, change: Change | undefined, memory: Memory): NotedChange {
  return { kind: 'noted', change, note: { key, text: JSON.stringify([fingerprint, memory]) } }
}

/** Nothing was written, so one whose answer is too long to keep may as well be judged anew. */
function mismatched(asked: Repeatable, current: NodeText | undefined): JobOutcome {
  const { stored = null } = current ?? {}
  return stored !== null && stored.length > MAX_CURRENT
    ? undefined
    : noted(asked, undefined, { kind: 'mismatch', current: stored === null ? null : joined(stored) })
}

function* outcomeAgain(memory: Memory, plan: WritePlan): Reads<WriteOutcome> {
  if (memory.kind === 'mismatch') {
    const current = memory.current === null ? undefined : new NodeText(memory.current)
    return { kind: 'mismatch', current, replayed: true }
  }
  if (memory.kind !== 'written') throw new DholeError('internal')
  const written = yield* resolveAgain(plan, memory)
  const outcome: WriteOutcome = {
    kind: 'written',
    json: written.json,
    get etag() {
      return written.kind === 'put' ? etagAfter(written) : undefined
    },
    replayed: true,
  }
  noteLarge(outcome, written)
  return outcome
}

function* appendedAgain(memory: Memory, checked: WritePlan): Reads<Appended> {
  if (memory.kind !== 'appended') throw new DholeError('internal')
  const plan = yield* resolveAgain(checked, { now: memory.now, old: [] })
  const appended: Appended = {
    name: memory.name,
    get etag() {
      return etagAfter(plan)
    },
    replayed: true,
  }
  noteLarge(appended, plan)
  return appended
}

/** The plan with its server values as they were then. */
function* resolveAgain(
  plan: WritePlan,
  { now, old }: { now: number; old: readonly (number | null)[] },
): Reads<WritePlan> {
  if (plan.serverValues.length === 0) return plan
  const numbers = new Map<string, number>()
  for (const [index, path] of incrementsOf(plan).entries()) {
    const number = old[index]
    if (number !== undefined && number !== null) numbers.set(formatPath(path), number)
  }
  return yield* withPauses(plan.resolve({ now, old: numbers }))
}

function incrementsOf({ serverValues }: WritePlan): readonly Path[] {
  return serverValues.filter(({ serverValue }) => serverValue.kind === 'increment').map(({ path }) => path)
}
