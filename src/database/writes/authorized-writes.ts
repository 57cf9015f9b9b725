import { DholeError } from '../../error.ts'
import { EvaluationPostponed } from '../../rules/expression/rule-errors.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { TaskLimit } from '../../scheduling/task-limit.ts'
import type { CommitContext, Committed, JobOutcome, TreeStore } from '../../store/store.ts'
import type { JobReads, Reads } from '../../tree/read-program.ts'
import type { Write } from '../../tree/write.ts'
import type { AuthorizerOptions } from '../access/authorizer.ts'
import type { RulesInForce } from '../access/rules-in-force.ts'
import { type IdempotentRequest, idempotentRequest } from './idempotency-key.ts'
import { onlyOnce } from './idempotent-write.ts'
import { OutOfOrder, type WritePlace } from './order/write-order.ts'
import { type Watchers, writeJob } from './write-job.ts'
import type { ConditionBounds, WriteOperation } from './write-operation.ts'
import { ReadPaths, WriteRecorder } from './write-recorder.ts'
import { type LeftValue, ValueGone, type WriteOptions } from './write-request.ts'

/** Writes evaluated on snapshots at the same time: each takes some milliseconds of every turn of the event loop. */
const MAX_CONCURRENT_EVALUATIONS = 1
/** Evaluations of one write on snapshots before the last attempt in a transaction. */
const MAX_EVALUATIONS = 4
/** Factor on the time that rules may take in the transaction at the last attempt. */
const LAST_PATIENCE = 10

/**
 * Commits of small writes that may wait for their delivery to listeners when they are answered: no memory but this holds
 * them then. A large write is answered once it is delivered.
 */
const MOST_UNDELIVERED = 64

/** An attempt whose rules took too long for a transaction. */
interface PostponedAttempt {
  /** Of the attempt. A later attempt has the same time. */
  readonly context: CommitContext
  /** Records the writes that follow the attempt. */
  readonly recorder: WriteRecorder
}

/** What an evaluation on a snapshot found out about a write. */
interface EvaluatedAttempt extends PostponedAttempt {
  /** Paths that the rules read. */
  readonly readPaths: ReadPaths
  readonly bounds: AuthorizerOptions
  /** Whether the condition of the write holds; `undefined` if that was not asked. */
  readonly condition: boolean | undefined
}

/**
 * Commits writes, without rules that take long holding up others. In the transaction the rules may take a few
 * milliseconds. A write that needs more leaves the transaction and is evaluated on a snapshot, which has everything
 * written before it. It returns to a transaction with what the rules allowed. If one of the paths that the rules read was
 * written meanwhile, it is evaluated again.
 * @see docs/explanation/access.md#where-decisions-are-made
 */
export class AuthorizedWrites {
  readonly store: TreeStore
  readonly rules: RulesInForce
  readonly watchers: Watchers
  readonly recorders = new Set<WriteRecorder>()
  readonly #evaluations = new TaskLimit(MAX_CONCURRENT_EVALUATIONS)

  constructor(store: TreeStore, rules: RulesInForce, watchers: Watchers) {
    this.store = store
    this.rules = rules
    this.watchers = watchers
  }

  /** Records what a job writes. */
  readonly record = (writes: readonly Write[]): void => {
    for (const recorder of this.recorders) recorder.record(writes)
  }

  /** Records that a job replaces the rules. */
  recordRules(): void {
    for (const recorder of this.recorders) recorder.recordAll()
  }

  /**
   * Resolves when the write is durable.
   * @throws what the write throws; `unavailable` if its rules take long and the paths they read keep changing
   */
  commit<T>(operation: WriteOperation<T>, options: WriteOptions): Promise<T> {
    const attempt = new Attempt(this, operation, options, idempotentRequest(operation, options))
    const place = options.order?.join()
    attempt.place = place
    return this.#queue(attempt).then(
      (committed) => {
        place?.settled()
        return this.#answer(committed, operation)
      },
      (error: unknown) => {
        const done = this.#continue(attempt, error)
        return place === undefined ? done : done.finally(() => place.settled())
      },
    )
  }

  #queue<T>(attempt: Attempt<T>): Promise<Committed<T>> {
    attempt.place?.queued()
    return this.store.commit((context) => attempt.run(context))
  }

  /** Queues a write again for as long as it comes before an earlier one of the same client. */
  async #queueInOrder<T>(attempt: Attempt<T>): Promise<Committed<T>> {
    for (;;) {
      try {
        return await this.#queue(attempt)
      } catch (error) {
        if (!(error instanceof OutOfOrder)) throw error
        await attempt.place?.turnToQueue()
      }
    }
  }

  /** The result, once few other commits wait for their delivery: writers wait for listeners that many writes concern. */
  #answer<T>({ result, commit }: Committed<T>, { isLarge }: WriteOperation<T>): Awaitable<T> {
    if (commit === undefined) return result
    const delivered = this.watchers.delivered(isLarge ? commit.seq : commit.seq - MOST_UNDELIVERED)
    return delivered instanceof Promise ? delivered.then(() => result) : result
  }

  async #continue<T>(first: Attempt<T>, thrown: unknown): Promise<T> {
    let attempt = first
    let error = thrown
    if (thrown instanceof OutOfOrder) {
      await first.place?.turnToQueue()
      try {
        return await this.#answer(await this.#queueInOrder(first), first.operation)
      } catch (again) {
        error = again
      }
    }
    for (let evaluations = 1; evaluations <= MAX_EVALUATIONS; evaluations++) {
      const evaluated = await this.#evaluate(attempt, attempt.postponed(error))
      const next = attempt.after(evaluated, evaluations === MAX_EVALUATIONS ? LAST_PATIENCE : 1)
      attempt = next
      try {
        return await this.#answer(await this.#queueInOrder(next), attempt.operation)
      } catch (again) {
        error = again
      } finally {
        this.recorders.delete(evaluated.recorder)
      }
    }
    this.recorders.delete(attempt.postponed(error).recorder)
    throw new DholeError('unavailable', 'The rules take long, and what they look at changes meanwhile')
  }

  /** Evaluates all rules on a snapshot. @throws their refusal, unless the write may have been done before */
  async #evaluate<T>(attempt: Attempt<T>, postponed: PostponedAttempt): Promise<EvaluatedAttempt> {
    const readPaths = new ReadPaths()
    const allowed = new Set<'write' | 'read' | 'validate'>()
    const authorizer = this.rules.authorizerFor(attempt.options, { onAllowed: (asked) => allowed.add(asked) })
    let condition: boolean | undefined
    const onDecided = (holds: boolean) => {
      condition = holds
    }
    try {
      await this.#evaluations.run(() =>
        this.store.read(() =>
          recordReads(attempt.operation.decide(postponed.context, authorizer, { onDecided }), readPaths),
        ),
      )
    } catch (refusal) {
      if (attempt.request !== undefined) return { ...postponed, readPaths, bounds: { refusal }, condition }
      this.recorders.delete(postponed.recorder)
      throw refusal
    }
    return { ...postponed, readPaths, bounds: { allowed }, condition }
  }
}

/** One attempt to commit a write, and the bounds of its rules. */
class Attempt<T> {
  readonly operation: WriteOperation<T>
  readonly options: WriteOptions
  readonly request: IdempotentRequest | undefined
  readonly patience: number
  /** Its place among other writes of its client; `undefined` if none is kept. */
  place: WritePlace | undefined
  readonly #writes: AuthorizedWrites
  readonly #evaluated: EvaluatedAttempt | undefined
  #context: CommitContext | undefined
  #recorder: WriteRecorder | undefined

  constructor(
    writes: AuthorizedWrites,
    operation: WriteOperation<T>,
    options: WriteOptions,
    request: IdempotentRequest | undefined,
    evaluated?: EvaluatedAttempt,
    patience: number = 1,
  ) {
    this.#writes = writes
    this.operation = operation
    this.options = options
    this.request = request
    this.#evaluated = evaluated
    this.patience = patience
  }

  /** The attempt that follows an evaluation. */
  after(evaluated: EvaluatedAttempt, patience: number): Attempt<T> {
    const next = new Attempt(this.#writes, this.operation, this.options, this.request, evaluated, patience)
    next.place = this.place
    return next
  }

  run(context: CommitContext): JobReads<JobOutcome<T>> {
    const evaluated = this.#evaluated
    const { patience } = this
    const onPostponed = () => this.#onPostponed()
    if (evaluated === undefined) return this.#job(context, { patience, onPostponed }, { onPostponed })
    const { condition } = evaluated
    if (evaluated.recorder.hasTouched(evaluated.readPaths)) {
      // A condition that takes long is not decided within the transaction: what it is about keeps changing.
      const isLast = patience > 1 && condition !== undefined
      return this.#job(context, { patience, onPostponed }, isLast ? { holds: false } : { onPostponed })
    }
    return this.#job(
      evaluated.context,
      { patience, onPostponed, ...evaluated.bounds },
      { holds: condition, onPostponed },
    )
  }

  #job(context: CommitContext, bounds: AuthorizerOptions, condition: ConditionBounds): JobReads<JobOutcome<T>> {
    const { operation, request } = this
    const { rules, watchers, record } = this.#writes
    this.#context = context
    const { place } = this
    place?.begun()
    const authorizer = rules.authorizerFor(this.options, bounds)
    const decided = operation.decide(context, authorizer, condition)
    const job = onlyLeft(writeJob(decided, watchers, record, this.options), this.options)
    const whole = request === undefined ? job : onlyOnce(request, operation, context, job)
    return place === undefined ? whole : inOrder(place, whole)
  }

  /** Called within the transaction, so that the recorder misses no later write. A transaction may run twice. */
  #onPostponed(): void {
    const { recorders } = this.#writes
    this.place?.leave()
    if (this.#recorder !== undefined) recorders.delete(this.#recorder)
    this.#recorder = new WriteRecorder()
    recorders.add(this.#recorder)
  }

  /** @throws the error, unless the rules took too long */
  postponed(error: unknown): PostponedAttempt {
    if (error instanceof EvaluationPostponed && this.#context !== undefined && this.#recorder !== undefined) {
      return { context: this.#context, recorder: this.#recorder }
    }
    if (this.#recorder !== undefined) this.#writes.recorders.delete(this.#recorder)
    throw error
  }
}

/** Runs a job in its turn. @throws OutOfOrder */
function* inOrder<T>(place: WritePlace, job: JobReads<JobOutcome<T>>): JobReads<JobOutcome<T>> {
  if (!(yield { kind: 'is-turn', isTurn: place.isTurn })) {
    place.leave()
    throw new OutOfOrder()
  }
  return yield* job
}

/** Removes the left value that a write writes, and writes it only while it is left. */
function onlyLeft<T>(job: Reads<JobOutcome<T>>, { leftValue }: WriteOptions): JobReads<JobOutcome<T>> {
  return leftValue === undefined ? job : removingLeft(job, leftValue)
}

/** @throws ValueGone */
function* removingLeft<T>(
  job: Reads<JobOutcome<T>>,
  { session, position, isLast }: LeftValue,
): JobReads<JobOutcome<T>> {
  if (!(yield { kind: 'session', session, position })) throw new ValueGone()
  return { ...(yield* job), session: isLast ? { session, isOver: true } : { session, removed: [position] } }
}

/** Runs logic and adds the paths that it reads. */
function* recordReads(logic: Reads<unknown>, readPaths: ReadPaths): Reads<void> {
  let step = logic.next()
  while (!step.done) {
    const request = step.value
    if ('path' in request) readPaths.add(request.path)
    step = logic.next(yield request)
  }
}
