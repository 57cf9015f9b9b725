import type { Reads } from '../../tree/read-program.ts'
import { EvaluationPostponed, fail } from './rule-errors.ts'

/** Steps between two pauses: some ten microseconds. */
const STEPS_BETWEEN_PAUSES = 2_000
/** Maximum cost of one operation: a few milliseconds, on the longest texts. */
const MAX_OPERATION_STEPS = 100_000
/** Maximum cost of matching one pattern, which cannot pause: some milliseconds. */
const MAX_MATCH_STEPS = 500_000
const MAX_REQUEST_STEPS = 1_000_000
/** Maximum time of the rules of one request without pauses: many times the duration of that many steps. */
const MAX_REQUEST_MS = 5_000
/** Maximum cost while other writes wait: some milliseconds. */
const MAX_BRIEF_STEPS = 10_000
const MAX_BRIEF_MS = 10
/** Longest text that a rule may create: no leaf is longer. */
const MAX_TEXT_LENGTH = 10 * 1024 * 1024
/** Maximum text that one rule may create in total, as it may hold all of it until it ends. */
const MAX_MADE_LENGTH = 4 * MAX_TEXT_LENGTH
/** Approximate cost of a read of the tree. */
const READ_STEPS = 10
/** Characters that are copied or compared in one step. */
const CHARACTERS_PER_STEP = 200

/**
 * Bounds the time and memory of the rules of one request, so that they can neither block the event loop nor fill the
 * memory. A step costs about as much as adding two numbers.
 */
export class Budget {
  /** Steps and milliseconds after which the evaluation is postponed; `undefined` for no such bound. */
  readonly #brief: { readonly steps: number; readonly milliseconds: number } | undefined
  #spent = 0
  /** Time before the latest pause, and the start of the work since, in milliseconds. */
  #worked = 0
  #resumedAt = performance.now()
  #nextPause = STEPS_BETWEEN_PAUSES
  #made = 0
  #walked = 0

  /**
   * @param patience bounds an evaluation that other writes wait for: the multiple of the usual bound after which it is
   *   postponed; `undefined` for no such bound
   */
  constructor(patience?: number) {
    this.#brief =
      patience === undefined ? undefined : { steps: patience * MAX_BRIEF_STEPS, milliseconds: patience * MAX_BRIEF_MS }
  }

  /**
   * Charges an operation.
   * @throws RuleFailure when the operation or the whole request costs too much
   * @throws EvaluationPostponed when it costs too much while other writes wait
   */
  spend(steps: number, most: number = MAX_OPERATION_STEPS): void {
    this.#spent += steps
    if (this.#brief !== undefined && this.#spent > this.#brief.steps) throw new EvaluationPostponed()
    if (steps > most || this.#spent > MAX_REQUEST_STEPS) fail('too costly')
  }

  /** Charges a read of the tree. */
  read(): void {
    this.spend(READ_STEPS)
  }

  /** Charges an operation that visits each of these characters once. */
  spendText(length: number): void {
    this.spend(1 + Math.floor(length / CHARACTERS_PER_STEP))
  }

  /** Charges a search, which may compare the whole needle at every character. */
  spendSearch(text: string, needle: string): void {
    this.spendText(text.length)
    this.spend(Math.floor((text.length * needle.length) / 1000))
  }

  /** Charges matching a pattern. */
  spendMatch(steps: number): void {
    this.spend(steps, MAX_MATCH_STEPS)
  }

  /** Charges a new text before it is created. */
  make(length: number): void {
    this.#made += length
    if (length > MAX_TEXT_LENGTH || this.#made > MAX_MADE_LENGTH) fail('too costly')
    this.spendText(length)
  }

  /** Counts a step of the walk to the rules. It leads to pauses; only the size of the request bounds it. */
  walk(): void {
    this.#walked++
  }

  /** Forgets the texts of the previous rule. */
  startRule(): void {
    this.#made = 0
  }

  /** Whether a pause is due. True once between two pauses. */
  isPauseDue(): boolean {
    const done = this.#spent + this.#walked
    if (done < this.#nextPause) return false
    this.#nextPause = done + STEPS_BETWEEN_PAUSES
    this.#checkTime()
    return true
  }

  /** Lets other work run; its time is not charged. */
  *pause(): Reads<void> {
    this.#worked += performance.now() - this.#resumedAt
    yield { kind: 'pause' }
    this.#resumedAt = performance.now()
  }

  #checkTime(): void {
    const worked = this.#worked + performance.now() - this.#resumedAt
    if (this.#brief !== undefined && worked > this.#brief.milliseconds) throw new EvaluationPostponed()
    // Every further operation fails, as when all steps are spent.
    if (worked > MAX_REQUEST_MS) this.#spent = Math.max(this.#spent, MAX_REQUEST_STEPS)
  }
}
