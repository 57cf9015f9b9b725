import pLimit from 'p-limit'
import { DholeError } from '../../error.ts'
import { EvaluationPostponed } from '../../rules/expression/rule-errors.ts'
import type { CommitContext, JobOutcome, TreeStore } from '../../store/store.ts'
import type { JobReads, Reads } from '../../tree/read-program.ts'
import type { Write } from '../../tree/write.ts'
import type { Access } from '../access/access.ts'
import type { Authorizer, AuthorizerOptions } from '../access/authorizer.ts'
import type { ReadAccess } from '../access/read-access.ts'
import { ReadPlaces, WriteRecorder } from './write-recorder.ts'

/** Writes judged outside of a transaction at the same time: each takes some milliseconds of every turn of the loop. */
const JUDGED_AT_ONCE = 1
/** Times a write is judged outside of a transaction because what was looked at has changed. */
const MOST_TRIES = 4
/** How much more the rules may cost in the transaction the last time. */
const LAST_PATIENCE = 10

/** A write that rules may have to allow. */
export interface AuthorizedWrite {
  readonly access: Access
  /** Whether it has an idempotency key: then a refusal counts only if the write was not done before. */
  readonly isRepeatable: boolean
  /** The job of the transaction. It may run several times; the last one counts. */
  attempt(context: CommitContext, authorizer: Authorizer | undefined): JobReads<JobOutcome>
  /** The same on a snapshot, for the authorizer alone. @param onDecided called when nothing is left to authorizer */
  rehearse(context: CommitContext, authorizer: Authorizer | undefined, onDecided: () => void): Reads<unknown>
}

/** An attempt whose judging took too long for a transaction. */
interface Postponed {
  /** Time of the write, also when it is done later. */
  readonly context: CommitContext
  /** Has noted what was written after the attempt. */
  readonly recorder: WriteRecorder
}

/** What was found out about a write outside of a transaction. */
interface EvaluatedWrite extends Postponed {
  readonly places: ReadPlaces
  readonly bounds: AuthorizerOptions
}

/**
 * Commits writes without letting their rules hold up others. In the transaction the rules may cost a few milliseconds.
 * Where that is not enough the write leaves the transaction and is judged on a snapshot, which has everything written
 * before it. It returns with what the rules allowed, which stands unless one of the places they looked at was written to
 * meanwhile: then it is judged again.
 * @see docs/explanation/access.md#where-decisions-are-made
 */
export class AuthorizedWrites {
  readonly #store: TreeStore
  readonly #readAccess: ReadAccess
  readonly #recorders = new Set<WriteRecorder>()
  readonly #outside = pLimit(JUDGED_AT_ONCE)

  constructor(store: TreeStore, readAccess: ReadAccess) {
    this.#store = store
    this.#readAccess = readAccess
  }

  /** A job of this tree writes. */
  note(writes: readonly Write[]): void {
    for (const recorder of this.#recorders) recorder.note(writes)
  }

  /** A job of this tree replaces the rules. */
  noteRules(): void {
    for (const recorder of this.#recorders) recorder.noteAll()
  }

  /**
   * Resolves when the write is durable.
   * @throws what the write throws; `unavailable` when its rules take long and what they look at changes all the time
   */
  commit(write: AuthorizedWrite): Promise<unknown> {
    const attempt = new Attempt(write, this.#readAccess, this.#recorders)
    return this.#store
      .commit((context) => attempt.run(context))
      .catch((error: unknown) => this.#goOn(write, attempt, error))
  }

  async #goOn(write: AuthorizedWrite, first: Attempt, thrown: unknown): Promise<void> {
    let attempt = first
    let error = thrown
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const judged = await this.#evaluate(write, attempt.postponed(error))
      const next = new Attempt(
        write,
        this.#readAccess,
        this.#recorders,
        judged,
        tries === MOST_TRIES ? LAST_PATIENCE : 1,
      )
      attempt = next
      try {
        await this.#store.commit((context) => next.run(context))
        return
      } catch (again) {
        error = again
      } finally {
        this.#recorders.delete(judged.recorder)
      }
    }
    this.#recorders.delete(attempt.postponed(error).recorder)
    throw new DholeError('unavailable', 'The rules take long, and what they look at changes meanwhile')
  }

  /** Asks all rules on a snapshot. @throws their refusal, unless the write may have been done before */
  async #evaluate(write: AuthorizedWrite, postponed: Postponed): Promise<EvaluatedWrite> {
    const places = new ReadPlaces()
    const allowed = new Set<'write' | 'read' | 'validate'>()
    const authorizer = this.#readAccess.authorizerFor(write.access, { onAllowed: (asked) => allowed.add(asked) })
    try {
      await this.#outside(() => this.#store.read(() => rehearsal(write, postponed.context, authorizer, places)))
    } catch (refusal) {
      if (write.isRepeatable) return { ...postponed, places, bounds: { refusal } }
      this.#recorders.delete(postponed.recorder)
      throw refusal
    }
    return { ...postponed, places, bounds: { allowed } }
  }
}

/** One run of a write in a transaction, and the bounds of its judging. */
class Attempt implements AuthorizerOptions {
  readonly patience: number
  readonly #write: AuthorizedWrite
  readonly #readAccess: ReadAccess
  readonly #recorders: Set<WriteRecorder>
  readonly #judged: EvaluatedWrite | undefined
  #context: CommitContext | undefined
  #recorder: WriteRecorder | undefined

  constructor(
    write: AuthorizedWrite,
    readAccess: ReadAccess,
    recorders: Set<WriteRecorder>,
    judged?: EvaluatedWrite,
    patience: number = 1,
  ) {
    this.#write = write
    this.#readAccess = readAccess
    this.#recorders = recorders
    this.#judged = judged
    this.patience = patience
  }

  run(context: CommitContext): JobReads<JobOutcome> {
    const { access } = this.#write
    const judged = this.#judged
    if (judged === undefined || judged.recorder.hasTouched(judged.places)) {
      this.#context = context
      return this.#write.attempt(context, this.#readAccess.authorizerFor(access, this))
    }
    this.#context = judged.context
    const bounds: AuthorizerOptions = {
      patience: this.patience,
      onPostponed: () => this.onPostponed(),
      ...judged.bounds,
    }
    return this.#write.attempt(judged.context, this.#readAccess.authorizerFor(access, bounds))
  }

  /** Called within the transaction, so that no later write is missed. A transaction may run twice. */
  onPostponed(): void {
    if (this.#recorder !== undefined) this.#recorders.delete(this.#recorder)
    this.#recorder = new WriteRecorder()
    this.#recorders.add(this.#recorder)
  }

  /** @throws the error, unless it says that the judging took too long */
  postponed(error: unknown): Postponed {
    if (error instanceof EvaluationPostponed && this.#context !== undefined && this.#recorder !== undefined) {
      return { context: this.#context, recorder: this.#recorder }
    }
    if (this.#recorder !== undefined) this.#recorders.delete(this.#recorder)
    throw error
  }
}

/** Runs a write on a snapshot until all rules have been asked, and notes what it reads. */
function* rehearsal(
  write: AuthorizedWrite,
  context: CommitContext,
  authorizer: Authorizer | undefined,
  places: ReadPlaces,
): Reads<void> {
  let isDecided = false
  const logic = write.rehearse(context, authorizer, () => {
    isDecided = true
  })
  let step = logic.next()
  while (!step.done && !isDecided) {
    const request = step.value
    if ('path' in request) places.add(request.path)
    step = logic.next(yield request)
  }
}
