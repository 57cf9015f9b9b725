import type { Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import { Budget } from '../expression/budget.ts'
import { isTrue } from '../expression/evaluate.ts'
import type { Frame } from '../expression/evaluation-context.ts'
import type { Visit } from '../expression/request-context.ts'
import { RuleFailure } from '../expression/rule-errors.ts'
import type { State } from '../expression/tree-view.ts'
import type { Rule } from '../file/rule-node.ts'
import { type Chance, chanceOf } from './outcomes.ts'
import { Trace } from './trace.ts'

/** How rules are asked. */
export interface AuthorizeOptions {
  readonly trace?: boolean | undefined
  /**
   * Judges while other writes wait, see `Budget`: throws `JudgingPostponed` where it takes too long for that.
   */
  readonly patience?: number | undefined
}

/** Asks rules for one request, one after the other, out of one budget. */
export class Court {
  readonly trace: Trace
  /** Whether some rule so far looked at what may change while the rules stay. */
  hasLooked = false
  /** Whether some rule so far looked at the time. */
  hasSeenTime = false
  readonly #frame: Frame
  #hasAsked = false

  /** @param after the tree as the request would leave it; `undefined` for a read */
  constructor(visit: Visit, after: State | undefined, { trace, patience }: AuthorizeOptions) {
    this.trace = new Trace(trace === true)
    this.#frame = {
      visit,
      path: [],
      depth: 0,
      after,
      budget: new Budget(patience),
      at: 0,
      hasLooked: false,
      hasSeenTime: false,
    }
  }

  /** Notes that nothing on the way to a place says anything, if so it is. */
  conclude(path: Path, kind: '.read' | '.write'): void {
    if (!this.#hasAsked) this.trace.silent(path, kind)
  }

  /** Whether the last rule looked at what may change. */
  get lastHasLooked(): boolean {
    return this.#frame.hasLooked
  }

  /** Whether the last rule looked at the time. */
  get lastHasSeenTime(): boolean {
    return this.#frame.hasSeenTime
  }

  /**
   * What a rule says at a place; one that has no answer says no.
   * @param path at least as deep as the rule
   * @param ifIn where the node must be for the rule to be asked: nothing speaks against what is not there
   */
  *ask(rule: Rule, path: Path, ifIn?: State): Reads<boolean> {
    const frame = this.#begin(rule, path)
    try {
      if (ifIn !== undefined && !(yield* ifIn.exists(path, frame.budget))) return true
      const value = yield* isTrue(rule.expression, frame)
      this.trace.said(rule, value)
      return value
    } catch (error) {
      if (!(error instanceof RuleFailure)) throw error
      this.trace.failed(rule, error.message, frame.at)
      return false
    } finally {
      this.hasLooked ||= frame.hasLooked
      this.hasSeenTime ||= frame.hasSeenTime
    }
  }

  /**
   * Whether a rule can be true, as far as is known before the body of a write is read.
   * @param path may be less deep than the rule: the keys it lacks are not known
   */
  *chanceOf(rule: Rule, path: Path): Reads<Chance> {
    return yield* chanceOf(rule.expression, this.#begin(rule, path))
  }

  #begin(rule: Rule, path: Path): Frame {
    const frame = this.#frame
    this.#hasAsked = true
    frame.path = path
    frame.depth = rule.path.length
    frame.at = 0
    frame.hasLooked = false
    frame.hasSeenTime = false
    frame.budget.forget()
    return frame
  }

  /** Charges a step of the way to the rules. @returns whether others should run now */
  isPauseDue(): boolean {
    const { budget } = this.#frame
    budget.walk()
    return budget.isPauseDue()
  }

  /** Lets others run. */
  pause(): Reads<void> {
    return this.#frame.budget.pause()
  }
}
