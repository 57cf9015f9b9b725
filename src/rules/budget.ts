import { fail } from './failure.ts'

/** Steps after which others may run: a few ten microseconds. */
const STEPS_BETWEEN_PAUSES = 2_000
/** Dearest single operation: a few milliseconds, on the longest texts. */
const MAX_OPERATION_STEPS = 100_000
/** Dearest pattern on a text, which nothing can interrupt: some ten milliseconds. */
const MAX_MATCH_STEPS = 1_000_000
const MAX_REQUEST_STEPS = 10_000_000
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
  #spent = 0
  #nextPause = STEPS_BETWEEN_PAUSES
  #made = 0
  #walked = 0

  /** Throws when one operation or the whole request has become too dear. */
  spend(steps: number, most: number = MAX_OPERATION_STEPS): void {
    this.#spent += steps
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
  forget(): void {
    this.#made = 0
  }

  /** Whether others should run now. True once for every stretch of work. */
  isPauseDue(): boolean {
    const done = this.#spent + this.#walked
    if (done < this.#nextPause) return false
    this.#nextPause = done + STEPS_BETWEEN_PAUSES
    return true
  }
}
