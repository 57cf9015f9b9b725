import type { Reads } from '../../tree/read-program.ts'
import { EvaluationPostponed, fail } from './rule-errors.ts'

/** Steps after which others may run: a few ten microseconds. */
const STEPS_BETWEEN_PAUSES = 2_000
/** Dearest single operation: a few milliseconds, on the longest texts. */
const MAX_OPERATION_STEPS = 100_000
/** Dearest pattern on a text, which nothing can interrupt: some milliseconds. */
const MAX_MATCH_STEPS = 500_000
const MAX_REQUEST_STEPS = 1_000_000
/** Own time of the rules of one request, pauses left out: many times what that many steps take. */
const MAX_REQUEST_MS = 5_000
/** What rules may cost while other writes wait: some milliseconds. */
const MAX_BRIEF_STEPS = 10_000
const MAX_BRIEF_MS = 10
/** Longest text a rule may make: no leaf is longer. */
const MAX_TEXT_LENGTH = 10 * 1024 * 1024
/** What one rule may make in all, as it may hold every piece until it ends. */
const MAX_MADE_LENGTH = 4 * MAX_TEXT_LENGTH
/** About what a read of the tree costs. */
const READ_STEPS = 10
/** Characters that are copied or compared in a step. */
const CHARACTERS_PER_STEP = 200

/**
 * What the rules of one request may still cost, so that none can hold the loop or fill the memory. A step is about
 * what adding two numbers takes.
 */
export class Budget {
  /** Steps and milliseconds after which judging is postponed; `undefined` when it is not. */
  readonly #brief: { readonly steps: number; readonly milliseconds: number } | undefined
  #spent = 0
  /** Own time before the current stretch of work, and when that began, in milliseconds. */
  #worked = 0
  #resumedAt = performance.now()
  #nextPause = STEPS_BETWEEN_PAUSES
  #made = 0
  #walked = 0

  /**
   * @param patience for judging while other writes wait: how many times the usual bound it may cost before it is
   * postponed; without it there is no such bound
   */
  constructor(patience?: number) {
    this.#brief =
      patience === undefined ? undefined : { steps: patience * MAX_BRIEF_STEPS, milliseconds: patience * MAX_BRIEF_MS }
  }

  /**
   * Charges an operation.
   * @throws RuleFailure when the operation or the whole request has become too dear
   * @throws JudgingPostponed when the request has for a brief judgement
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

  /** Charges what looks at so many characters once. */
  spendText(length: number): void {
    this.spend(1 + Math.floor(length / CHARACTERS_PER_STEP))
  }

  /** Charges a search, which in the worst case compares the whole needle everywhere. */
  spendSearch(text: string, needle: string): void {
    this.spendText(text.length)
    this.spend(Math.floor((text.length * needle.length) / 1000))
  }

  /** Charges a pattern on a text. */
  spendMatch(steps: number): void {
    this.spend(steps, MAX_MATCH_STEPS)
  }

  /** Charges a new text before it is made. */
  make(length: number): void {
    this.#made += length
    if (length > MAX_TEXT_LENGTH || this.#made > MAX_MADE_LENGTH) fail('too costly')
    this.spendText(length)
  }

  /** Charges a step of the way to the rules: it lets others run, but has no limit but that of a request's body. */
  walk(): void {
    this.#walked++
  }

  /** A new rule holds nothing of the one before. */
  startRule(): void {
    this.#made = 0
  }

  /** Whether others should run now. True once for every stretch of work. */
  isPauseDue(): boolean {
    const done = this.#spent + this.#walked
    if (done < this.#nextPause) return false
    this.#nextPause = done + STEPS_BETWEEN_PAUSES
    this.#checkTime()
    return true
  }

  /** Lets others run; their time is not charged. */
  *pause(): Reads<void> {
    this.#worked += performance.now() - this.#resumedAt
    yield { kind: 'pause' }
    this.#resumedAt = performance.now()
  }

  #checkTime(): void {
    const worked = this.#worked + performance.now() - this.#resumedAt
    if (this.#brief !== undefined && worked > this.#brief.milliseconds) throw new EvaluationPostponed()
    // From here on every operation fails, as when the steps are spent.
    if (worked > MAX_REQUEST_MS) this.#spent = Math.max(this.#spent, MAX_REQUEST_STEPS)
  }
}
