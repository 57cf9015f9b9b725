import { DholeError } from '../../../error.ts'
import type { Awaitable } from '../../../scheduling/awaitable.ts'
import type { Reads } from '../../../tree/read-program.ts'
import { parseStringInSteps } from '../../rows/long-string.ts'
import type { ReadLimit } from '../../store.ts'
import type { AppliedTree } from '../applied-tree.ts'
import { Patience } from '../commit/committer.ts'
import { failureKind } from '../connection/database-errors.ts'
import type { Statements } from '../connection/lane.ts'
import type { Lanes } from '../connection/lanes.ts'
import { KnownSlots } from './known-slots.ts'
import { LongPlace } from './long-place.ts'
import { OneStatement, SecondStatement } from './one-statement.ts'
import { ProgramRun } from './program-run.ts'
import { LongRead, Reading, type Target } from './reading.ts'
import { nodeText, sizeOf } from './subtree/node-reader.ts'

/** Limit of internal reads. */
export const UNLIMITED: ReadLimit = { maxLength: Number.POSITIVE_INFINITY, timeoutMs: Number.POSITIVE_INFINITY }

/** From this attempt on, a read that must be judged keeps the next batch back until it has begun. */
const HELD_FROM = 3

/** A read on one snapshot. */
export interface Plan<T, P = unknown> {
  readonly limit: ReadLimit
  /** A program that runs first, on the same batch. `undefined` when there is nothing to run. */
  readonly program?: (() => Reads<P> | undefined) | undefined
  /** Whether the first statement most often reads all. */
  readonly isShort?: boolean
  /** The node to find with the first statement. */
  readonly target?: Target | undefined
  /** Asks for what it will most likely read, while the node is looked for. Not called when the program may refuse. */
  guess?(reading: Reading): void
  /**
   * Reads what it needs.
   * @param result what the program returned
   * @returns makes the answer, when the connection is free again
   */
  read(reading: Reading, result: P | undefined): Promise<() => Awaitable<T>>
}

/** An answer, and the batch and commit that it is of. */
export interface Answer<T> {
  readonly value: T
  readonly batch: number
  readonly seq: number
}

/** What became of an attempt: its answer, or the batch that must be applied before the next one. */
type Outcome<T> = { readonly answer: Answer<T> } | { readonly again: number }

/** What was read, and makes the answer. */
interface Finish<T> {
  readonly finish: () => Awaitable<T>
  readonly batch: number
  readonly seq: number
}

/** Gives work the statements of one read. */
type RunReading = <R>(work: (statements: Statements) => Promise<R>) => Promise<R>

/** How a read is tried. */
interface Attempt {
  /** Takes a place among the long reads; `false` when none is free. Default: there always is. */
  readonly takePlace?: () => boolean
  /** Called when the program has begun on the batch of the snapshot, or when there is none. */
  readonly begun?: () => void
  /** Default: on a snapshot. */
  readonly run?: RunReading | undefined
}

/** What a program has begun with. */
interface Begun<P> {
  readonly batch: number
  readonly run: ProgramRun<P | undefined> | undefined
}

/**
 * Runs reads on snapshots. A program is judged on the applied batch, which must be that of the snapshot. An answer is handed
 * out when its batch is applied: so an answer is never older than what was acknowledged before the read began, and never
 * newer than what followers have received.
 */
export class ReadRunner {
  readonly #lanes: Lanes
  readonly #tree: AppliedTree
  readonly #reach: (batch: number) => Promise<void>
  #running = 0
  #isClosed = false

  readonly #waitMs: number

  /**
   * @param reach applies the batches up to one that is committed
   * @param waitMs how long a read waits for a database that is away, in milliseconds
   */
  constructor(lanes: Lanes, tree: AppliedTree, reach: (batch: number) => Promise<void>, waitMs: number) {
    this.#waitMs = waitMs
    this.#lanes = lanes
    this.#tree = tree
    this.#reach = reach
  }

  /** Runs a read. It may run more than once; only its last run counts. @throws `unavailable`, and what the read throws */
  async run<T, P>(plan: Plan<T, P>): Promise<Answer<T>> {
    const startedAt = performance.now()
    let patience: Patience | undefined
    for (;;) {
      try {
        return await this.#run(plan)
      } catch (error) {
        const cause = error instanceof DholeError && error.code === 'unavailable' ? error.cause : undefined
        if (this.#isClosed || cause === undefined || failureKind(cause) === 'bug') throw error
        // A connection that was idle may have been lost since: a new one may serve.
        patience ??= new Patience(this.#waitMs - (performance.now() - startedAt))
        await patience.after(cause)
      }
    }
  }

  async #run<T, P>(plan: Plan<T, P>): Promise<Answer<T>> {
    this.checkOpen()
    this.#running++
    const place = new LongPlace(this.#lanes.long)
    try {
      try {
        return await this.#untilJudged(plan, place)
      } catch (error) {
        if (!(error instanceof LongRead)) throw error
      }
      await place.wait()
      return await this.#untilJudged(plan, place)
    } finally {
      place.leave()
      this.#running--
    }
  }

  /** Runs a read on whatever batch is the last one. @param statements default: those of a snapshot */
  async runNow<T>(plan: Omit<Plan<T>, 'program'>, statements?: Statements): Promise<T> {
    const outcome = await this.#attempt<T, undefined>(
      { ...plan, program: undefined },
      { run: statements && ((work) => work(statements)) },
    )
    if (!('answer' in outcome)) throw new DholeError('internal', undefined, { cause: 'a read without a program' })
    return outcome.answer.value
  }

  /** Resolves when a batch is applied. @throws `unavailable` */
  async reach(batch: number): Promise<void> {
    // Most often it is the batch that this process commits now.
    while (this.#tree.batch.batch < batch && this.#tree.committing !== undefined) await this.#tree.committing.ended
    if (this.#tree.batch.batch >= batch) return
    this.checkOpen()
    try {
      // It may be a batch of another process.
      await this.#reach(batch)
    } catch (error) {
      throw error instanceof DholeError ? error : new DholeError('unavailable', undefined, { cause: error })
    }
  }

  /** @throws `unavailable` once closed */
  readonly checkOpen = (): void => {
    if (this.#isClosed || this.#tree.isMoved) throw new DholeError('unavailable')
  }

  /** Ends reads at their next step. Resolves when none runs. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#running > 0) await new Promise(setImmediate)
  }

  async #untilJudged<T, P>(plan: Plan<T, P>, place: LongPlace): Promise<Answer<T>> {
    let isShort = plan.isShort === true
    for (let attempt = 1; ; attempt++) {
      this.checkOpen()
      const release = attempt >= HELD_FROM ? await this.#tree.hold() : () => {}
      let outcome: Outcome<T>
      try {
        const run: RunReading | undefined = isShort ? (work) => work(new OneStatement(this.#lanes)) : undefined
        outcome = await this.#attempt(plan, { takePlace: place.take, begun: release, run })
      } catch (error) {
        if (!isShort || !needsMore(error)) throw error
        isShort = false
        continue
      } finally {
        release()
      }
      await this.reach('answer' in outcome ? outcome.answer.batch : outcome.again)
      if ('answer' in outcome) return outcome.answer
    }
  }

  async #attempt<T, P>(
    plan: Plan<T, P>,
    { takePlace = () => true, begun = () => {}, run: runReading = (work) => this.onSnapshot(work) }: Attempt,
  ): Promise<Outcome<T>> {
    // The program begins at once, so that the first statement reads what it asks for first.
    const early = new KnownSlots()
    const program = this.#begin(plan, early)
    const need = program.run?.advance()
    const wanted = need?.kind === 'slots' ? [need.slots] : []
    const work = async (statements: Statements): Promise<{ readonly again: number } | Finish<T>> => {
      const reading = new Reading(statements, this.#tree.tree, plan.limit, this.checkOpen, takePlace, early)
      const walked = reading.walk(wanted, plan.target)
      if (need === undefined && program.run?.hasFailed !== true) plan.guess?.(reading)
      await walked
      const { batch, seq } = reading
      let { run } = program
      if (plan.program !== undefined && batch !== program.batch) {
        if (batch !== this.#tree.batch.batch) return { again: batch }
        run = this.#begin(plan, reading.known).run
      }
      begun()
      return { finish: await plan.read(reading, run && (await this.#finish(run, reading))), batch, seq }
    }
    const read = await runReading(work)
    if ('again' in read) return read
    const { finish, batch, seq } = read
    return { answer: { value: await finish(), batch, seq } }
  }

  #begin<P>({ program }: Pick<Plan<unknown, P>, 'program'>, known: KnownSlots): Begun<P> {
    const { batch, settings } = { batch: this.#tree.batch.batch, settings: this.#tree.settings }
    if (program === undefined) return { batch, run: undefined }
    return { batch, run: new ProgramRun<P | undefined>(() => program() ?? nothing(), known, settings) }
  }

  async #finish<P>(run: ProgramRun<P>, reading: Reading): Promise<P> {
    for (let need = run.advance(); need !== undefined; need = run.advance()) {
      if (need.kind === 'slots') await reading.walk([need.slots])
      else if (need.kind === 'string') run.answer(await reading.run(parseStringInSteps(need.text)))
      else if (need.kind === 'pause') {
        await new Promise(setImmediate)
        this.checkOpen()
      } else {
        await reading.walk([], { path: need.path, mostBytes: null })
        if (need.kind === 'size') run.answer(await sizeOf(reading, need.path))
        else run.answer(await (await nodeText(reading, need.path, need.maxLength ?? Number.POSITIVE_INFINITY))())
      }
    }
    return run.result
  }

  /** Runs work on a snapshot. @throws what the work throws; `unavailable` for what the database throws */
  async onSnapshot<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    let outcome: { readonly value: T } | { readonly error: unknown }
    try {
      outcome = await this.#lanes.snapshot(async (statements) => {
        try {
          return { value: await work(statements) }
        } catch (error) {
          return { error }
        }
      })
    } catch (error) {
      throw new DholeError('unavailable', undefined, { cause: error })
    }
    if ('error' in outcome) {
      const { error } = outcome
      throw failureKind(error) === 'bug' ? error : new DholeError('unavailable', undefined, { cause: error })
    }
    return outcome.value
  }
}

/** Whether a read failed only because one statement was not enough. */
function needsMore(error: unknown): boolean {
  return error instanceof SecondStatement || (error instanceof DholeError && error.cause instanceof SecondStatement)
}

// biome-ignore lint/correctness/useYield: a program that asks for nothing
function* nothing(): Generator<never, undefined> {
  return undefined
}
