import type { Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import { Budget } from '../expression/budget.ts'
import { isTrue } from '../expression/evaluate.ts'
import type { EvaluationContext } from '../expression/evaluation-context.ts'
import type { RequestContext } from '../expression/request-context.ts'
import { RuleFailure } from '../expression/rule-errors.ts'
import type { TreeView } from '../expression/tree-view.ts'
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
export class RuleEvaluator {
  readonly trace: Trace
  /** Whether some rule so far looked at what may change while the rules stay. */
  hasLooked = false
  /** Whether some rule so far looked at the time. */
  hasSeenTime = false
  readonly #context: EvaluationContext
  #hasAsked = false

  /** @param newTree the tree as the request would leave it; `undefined` for a read */
  constructor(request: RequestContext, newTree: TreeView | undefined, { trace, patience }: AuthorizeOptions) {
    this.trace = new Trace(trace === true)
    this.#context = {
      request,
      path: [],
      depth: 0,
      newTree,
      budget: new Budget(patience),
      at: 0,
      hasLooked: false,
      hasSeenTime: false,
    }
  }

  /** Notes that nothing on the way to a place says anything, if so it is. */
  recordNoRule(path: Path, kind: '.read' | '.write'): void {
    if (!this.#hasAsked) this.trace.recordNoRule(path, kind)
  }

  /** Whether the last rule looked at what may change. */
  get lastHasLooked(): boolean {
    return this.#context.hasLooked
  }

  /** Whether the last rule looked at the time. */
  get lastHasSeenTime(): boolean {
    return this.#context.hasSeenTime
  }

  /**
   * What a rule says at a place; one that has no answer says no.
   * @param path at least as deep as the rule
   * @param ifIn where the node must be for the rule to be asked: nothing speaks against what is not there
   */
  *evaluate(rule: Rule, path: Path, ifIn?: TreeView): Reads<boolean> {
    const context = this.#begin(rule, path)
    try {
      if (ifIn !== undefined && !(yield* ifIn.exists(path, context.budget))) return true
      const value = yield* isTrue(rule.expression, context)
      this.trace.recordResult(rule, value)
      return value
    } catch (error) {
      if (!(error instanceof RuleFailure)) throw error
      this.trace.recordFailure(rule, error.message, context.at)
      return false
    } finally {
      this.hasLooked ||= context.hasLooked
      this.hasSeenTime ||= context.hasSeenTime
    }
  }

  /**
   * Whether a rule can be true, as far as is known before the body of a write is read.
   * @param path may be less deep than the rule: the keys it lacks are not known
   */
  *chanceOf(rule: Rule, path: Path): Reads<Chance> {
    return yield* chanceOf(rule.expression, this.#begin(rule, path))
  }

  #begin(rule: Rule, path: Path): EvaluationContext {
    const context = this.#context
    this.#hasAsked = true
    context.path = path
    context.depth = rule.path.length
    context.at = 0
    context.hasLooked = false
    context.hasSeenTime = false
    context.budget.forget()
    return context
  }

  /** Charges a step of the way to the rules. @returns whether others should run now */
  isPauseDue(): boolean {
    const { budget } = this.#context
    budget.walk()
    return budget.isPauseDue()
  }

  /** Lets others run. */
  pause(): Reads<void> {
    return this.#context.budget.pause()
  }
}
