import { DholeError } from '../../error.ts'
import { drain, type Steps } from '../../scheduling/steps.ts'
import type { CommitContext } from '../../store/store.ts'
import type { Change, NodeTags } from '../../tree/change.ts'
import { etagMatches, etagOf, NULL_ETAG } from '../../tree/json/etag.ts'
import type { NodeText } from '../../tree/json/node-text.ts'
import { prepareText } from '../../tree/json/prepared-text.ts'
import { print } from '../../tree/json/print.ts'
import { etagInSteps, etagOfInSteps } from '../../tree/json/print-steps.ts'
import type { Limits } from '../../tree/limits.ts'
import { formatPath, type Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import { isLargePlan, type Write, type WritePlan } from '../../tree/write.ts'
import type { Access } from '../access/access.ts'
import type { Authorizer } from '../access/authorizer.ts'
import type { PlanResolver } from './plan-resolver.ts'
import { WRITE_SIZE_LIMIT, writeSeconds } from './write-size.ts'

/** Conditions on a write, and whose it is. */
export interface WriteOptions extends Access {
  /** Write only if the node's tag is this one; `null_etag` for no node, `*` for any. */
  readonly ifMatch?: string | undefined
  /** Refuse a write estimated to take longer, in seconds. Default: what the tree is set to. */
  readonly maxSeconds?: number | undefined
  /**
   * Names this request, with 1 to 255 printable ASCII characters: when it comes again within a day, it is answered as it
   * was and writes nothing. Another request of the same caller may not have it.
   */
  readonly idempotencyKey?: string | undefined
  /** What tells one value from another when requests are compared. Default: its JSON text. */
  readonly digest?: string | undefined
}

/** How a request writes, whose payload may be a bad one. */
export interface RequestOptions extends WriteOptions {
  /** Called when the payload is known to be good, before permission is asked. Not called where it writes nothing. */
  readonly onPlanned?: (() => void) | undefined
}

/** What became of a write that was valid. */
export type WriteOutcome =
  | {
      readonly kind: 'written'
      /** The payload as sent, with server values filled in. */
      readonly json: unknown
      /** Tag of what stands there now; not known after a patch. */
      readonly etag: string | undefined
      /** Whether an earlier request has written it, and this one nothing. */
      readonly replayed?: true
    }
  | {
      /** The condition did not hold; nothing is written. */
      readonly kind: 'mismatch'
      readonly current: NodeText | undefined
      /** Whether an earlier request was answered so. */
      readonly replayed?: true
    }

/** A child appended under a generated key. */
export interface Appended {
  readonly name: string
  readonly etag: string
  /** Whether an earlier request has appended it, and this one nothing. */
  readonly replayed?: true
}

/** Writes looked at between two pauses. */
const PAUSE_EVERY = 1000

/** Paths of watched nodes below one; whether that one counts. */
type WatchedBelow = (path: Path, inclusive: boolean) => readonly Path[]

/** What a job works with. */
export interface JobParts {
  readonly options: WriteOptions
  readonly limits: Limits
  readonly watchedBelow: WatchedBelow
  /** In which forms listeners are told of a change at a path. */
  readonly formsAt?: ((path: Path) => ReadonlySet<'plain' | 'export'>) | undefined
  /** Hears what a job writes, in the order of the writes, before it is known whether it will be durable. */
  readonly onWrite?: ((writes: readonly Write[]) => void) | undefined
  /** Says what the caller may; `undefined` when everything is allowed. */
  readonly authorizer: Authorizer | undefined
  /** Fills in the server values of a large write. */
  readonly resolver?: PlanResolver | undefined
}

/** Decides inside the transaction: permission, condition, cost, priorities, validity; then hands over the writes. */
export function* writeJob(
  plan: WritePlan,
  { options, limits, watchedBelow, formsAt, onWrite, authorizer, resolver }: JobParts,
  context: CommitContext,
  decide: (outcome: WriteOutcome) => void,
): Reads<Change | undefined> {
  const resolved =
    plan.serverValues.length === 0 ? plan : yield* resolveFor({ authorizer, resolver }, plan, context.now)
  const authorization = authorizer && (yield* authorizer.authorizeWrite(resolved.writes, context.now))
  if (options.ifMatch !== undefined) {
    // The answer to a condition that does not hold is the data.
    if (authorizer !== undefined) yield* authorizer.authorizeReadForWrite(plan.path)
    const current = (yield { kind: 'node', path: plan.path }) as NodeText | undefined
    const etag = current === undefined ? NULL_ETAG : yield* withPauses(current.etagInSteps())
    if (!etagMatches(options.ifMatch, etag)) {
      decide({ kind: 'mismatch', current })
      return undefined
    }
  }
  yield* checkCost(resolved, options.maxSeconds, limits)
  const writes = yield* withPlace(resolved, authorizer)
  if (authorizer !== undefined && authorization !== undefined) yield* authorizer.validateWrite(authorization)
  const outcome: WriteOutcome = {
    kind: 'written',
    json: resolved.json,
    // Not every caller wants it, and it costs as much as printing the value once more.
    get etag() {
      return resolved.kind === 'put' ? etagAfter(resolved) : undefined
    },
  }
  noteLarge(outcome, resolved)
  decide(outcome)
  if (writesNothing(writes) && !(yield* anyExists(writes))) return undefined
  const before = yield* tagsBefore(resolved.kind, writes, watchedBelow)
  if (isLargePlan(resolved)) yield* prepareTexts(resolved, writes, { watchedBelow, formsAt })
  onWrite?.(writes)
  return {
    kind: resolved.kind,
    path: resolved.path,
    writes,
    before,
    canStoreAhead: resolved === plan || resolver !== undefined,
  }
}

/** Prints what listeners are going to be told, so that it need not be printed at once when it is durable. */
function* prepareTexts(
  { kind, path }: Pick<Change, 'kind' | 'path'>,
  writes: readonly Write[],
  { watchedBelow, formsAt }: Pick<JobParts, 'watchedBelow' | 'formsAt'>,
): Reads<void> {
  if (formsAt === undefined) return
  const forms = formsAt(path)
  for (const write of writes) {
    for (const form of forms) yield* withPauses(prepareText(write, [], form, false))
    if (write.kind === 'priority') continue
    for (const watched of watchedBelow(write.path, kind === 'patch')) {
      const below = watched.slice(write.path.length)
      for (const form of formsAt(watched)) {
        yield* withPauses(prepareText(write, below, form, form === 'plain'))
        // What stands there with priorities is compared by its stored text.
        if (form === 'export') yield* withPauses(prepareText(write, below, 'stored', true))
      }
    }
  }
}

function* tagsOf(node: NodeText | undefined): Steps<NodeTags> {
  if (node === undefined) return { plain: NULL_ETAG, stored: NULL_ETAG }
  const stored = yield* node.etagInSteps()
  const plain = yield* node.inSteps('plain')
  return { plain: plain === node.stored ? stored : yield* etagOfInSteps(plain), stored }
}

/** Tags of what is watched below written places, for their listeners: not everything written changes. */
function* tagsBefore(
  kind: WritePlan['kind'],
  writes: readonly Write[],
  watchedBelow: WatchedBelow,
): Reads<ReadonlyMap<string, NodeTags> | undefined> {
  let tags: Map<string, NodeTags> | undefined
  for (const write of writes) {
    if (write.kind === 'priority') continue
    for (const path of watchedBelow(write.path, kind === 'patch')) {
      const node = (yield { kind: 'node', path }) as NodeText | undefined
      tags ??= new Map()
      tags.set(formatPath(path), yield* withPauses(tagsOf(node)))
    }
  }
  return tags
}

/** A child to be appended. */
export interface NewChild {
  /** Of the node it is appended to. */
  readonly path: Path
  /** Its generated key, the same each time. */
  name(context: CommitContext): string
}

/**
 * Decides inside the transaction what is appended.
 * @param checked the plan for any one child
 */
export function* appendJob(
  { path, name: nameFrom }: NewChild,
  checked: WritePlan,
  { options, limits, formsAt, onWrite, authorizer, resolver }: Omit<JobParts, 'watchedBelow'>,
  context: CommitContext,
  decide: (appended: Appended) => void,
): Reads<Change | undefined> {
  const name = nameFrom(context)
  const child = [...path, name]
  // Nothing stands under a new key, so there is no old number to add to.
  const plan =
    checked.serverValues.length === 0
      ? checked
      : yield* withPauses(resolveWith(resolver, checked, context.now, new Map()))
  const writes = plan.writes.map((write) => ({ ...write, path: child }))
  const authorization = authorizer && (yield* authorizer.authorizeWrite(writes, context.now))
  yield* checkCost({ nodes: plan.nodes, writes }, options.maxSeconds, limits)
  if (authorizer !== undefined && authorization !== undefined) yield* authorizer.validateWrite(authorization)
  const appended: Appended = {
    name,
    get etag() {
      return etagAfter(plan)
    },
  }
  noteLarge(appended, plan)
  decide(appended)
  if (writesNothing(writes)) return undefined
  if (isLargePlan(plan)) yield* prepareTexts({ kind: 'put', path: child }, writes, { watchedBelow: () => [], formsAt })
  onWrite?.(writes)
  return { kind: 'put', path: child, writes, canStoreAhead: plan === checked || resolver !== undefined }
}

function* checkCost(
  { nodes: written, writes }: Pick<WritePlan, 'nodes' | 'writes'>,
  asked: number | undefined,
  limits: Limits,
): Reads<void> {
  const maxSeconds = asked ?? writeSeconds((yield { kind: 'setting', name: WRITE_SIZE_LIMIT }) as string | undefined)
  if (maxSeconds === undefined || maxSeconds === Number.POSITIVE_INFINITY) return
  let nodes = written
  for (const write of writes) {
    if (write.kind === 'value') nodes += (yield { kind: 'size', path: write.path }) as number
  }
  if (nodes / limits.writeNodesPerSecond > maxSeconds) throw new DholeError('write-too-big')
}

/** What cannot be filled in is told to those only who may write there: it depends on what stands there. */
function* resolveFor(
  { authorizer, resolver }: Pick<JobParts, 'authorizer' | 'resolver'>,
  plan: WritePlan,
  now: number,
): Reads<WritePlan> {
  try {
    return yield* withPauses(resolveWith(resolver, plan, now, yield* oldNumbers(plan)))
  } catch (error) {
    if (authorizer !== undefined) yield* authorizer.authorizeWrite(plan.writes, now)
    throw error
  }
}

function resolveWith(
  resolver: PlanResolver | undefined,
  plan: WritePlan,
  now: number,
  old: ReadonlyMap<string, number>,
): Steps<WritePlan> {
  return resolver === undefined ? plan.resolve({ now, old }) : resolver.resolve(plan, now, old)
}

/** Runs work that reads nothing inside of logic that does. */
export function* withPauses<T>(steps: Steps<T>): Reads<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    yield { kind: 'pause' }
  }
}

/** The numbers that a plan adds to, by the text of their paths. */
export function* oldNumbers({ serverValues }: WritePlan): Reads<ReadonlyMap<string, number>> {
  const old = new Map<string, number>()
  for (const { path, serverValue } of serverValues) {
    if (serverValue.kind !== 'increment') continue
    const leaf = yield { kind: 'leaf', path }
    if (typeof leaf === 'number') old.set(formatPath(path), leaf)
  }
  return old
}

/**
 * The writes that have a place. A priority needs a node: one that is there, or one that the same request makes.
 * @throws `priority-on-nothing` to those who may read the place; for others such a priority is not written, and the
 *   answer is the same as if it were
 */
function* withPlace({ path, writes }: WritePlan, authorizer: Authorizer | undefined): Reads<readonly Write[]> {
  if (!writes.some(({ kind }) => kind === 'priority')) return writes
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
    // Priorities come last, so all that is made is known.
    else if (write.priority !== undefined && !made.has(formatPath(write.path))) {
      if (!(yield { kind: 'exists', path: write.path })) lost.add(write)
    }
  }
  return lost
}

/** A value that is set makes its node and all above. */
function addMade(made: Set<string>, { path, value }: Write & { kind: 'value' }): void {
  if (value === undefined) return
  for (let above = path; ; above = above.slice(0, -1)) {
    const text = formatPath(above)
    if (made.has(text)) return
    made.add(text)
    if (above.length === 0) return
  }
}

/** Whether the writes only take away. */
function writesNothing(writes: readonly Write[]): boolean {
  return writes.every((write) => (write.kind === 'value' ? write.value : write.priority) === undefined)
}

function* anyExists(writes: readonly Write[]): Reads<boolean> {
  for (const { path } of writes) if (yield { kind: 'exists', path }) return true
  return false
}

/** Tag of the one place a put writes: what it wrote is all that stands there. */
export function etagAfter(plan: WritePlan): string {
  return drain(etagAfterInSteps(plan))
}

/** As `etagAfter`, with pauses. */
export function* etagAfterInSteps(plan: WritePlan): Steps<string> {
  const write = plan.writes[0]
  const value = write?.kind === 'priority' ? write.priority : write?.value
  if (isLargePlan(plan)) return yield* etagInSteps(value)
  return etagOf(value === undefined ? undefined : print(value, 'stored'))
}

/** Plans of large writes, by what became of them. */
const largePlans = new WeakMap<WriteOutcome | Appended, WritePlan>()

/** Has `largePlanOf` know the plan, if it is large. */
export function noteLarge(outcome: WriteOutcome | Appended, plan: WritePlan): void {
  if (isLargePlan(plan)) largePlans.set(outcome, plan)
}

/** What a large write has written: what is made of it takes more than one turn. `undefined` for all others. */
export function largePlanOf(outcome: WriteOutcome | Appended): WritePlan | undefined {
  return largePlans.get(outcome)
}
