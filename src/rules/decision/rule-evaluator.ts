import type { Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import { Budget } from '../expression/budget.ts'
import { isTrue } from '../expression/evaluate.ts'
import type { EvaluationContext, TreeView } from '../expression/evaluation-context.ts'
import type { RequestContext } from '../expression/request-context.ts'
import { RuleFailure } from '../expression/rule-errors.ts'
import type { Rule } from '../file/rule-node.ts'
import type { Decision } from './decision.ts'
import { type Chance, chanceOf } from './outcomes.ts'
import { Trace } from './trace.ts'

/** How rules are evaluated. */
export interface AuthorizeOptions {
  /** Records a trace of the evaluated rules. Default `false`. */
  readonly trace?: boolean | undefined
  /** Bounds an evaluation that other writes wait for, see `Budget`: `EvaluationPostponed` is thrown beyond it. */
  readonly patience?: number | undefined
}

/** Evaluates the rules of one request one after the other, out of one budget. */
export class RuleEvaluator {
  readonly #trace: Trace
  readonly #context: EvaluationContext
  /** The rule that was evaluated last. */
  #last: Rule | undefined
  /** Whether a rule before the current one read `now`. */
  #usedTime = false
  /** Number of paths that the rules before the current one read. */
  #pathsBefore = 0

  /** @param newTree the tree after the request; `undefined` for a read */
  constructor(request: RequestContext, newTree: TreeView | undefined, { trace, patience }: AuthorizeOptions) {
    this.#trace = new Trace(trace === true)
    this.#context = {
      request,
      path: [],
      depth: 0,
      newTree,
      budget: new Budget(patience),
      at: 0,
      usesTime: false,
      paths: [],
    }
  }

  /** The rule that was evaluated last; `undefined` before the first one. */
  get last(): Rule | undefined {
    return this.#last
  }

  /** Whether a rule has read the tree. */
  get hasReadTree(): boolean {
    return this.#context.paths.length > 0
  }

  /** Makes a decision that depends on all evaluated rules. */
  decide(allowed: boolean): Decision {
    const { usesTime, paths } = this.#context
    const deniedBy = allowed ? undefined : this.#last
    return { allowed, trace: this.#trace.lines, deniedBy, dependsOn: { time: this.#usedTime || usesTime, paths } }
  }

  /** Allows the request. The decision depends on the last rule alone, whatever the rules before it become. */
  allowByLastRule(): Decision {
    const { usesTime, paths } = this.#context
    return {
      allowed: true,
      trace: this.#trace.lines,
      dependsOn: { time: usesTime, paths: paths.slice(this.#pathsBefore) },
    }
  }

  /** Records in the trace that no rule on the path matched, unless a rule was evaluated. */
  recordNoRule(path: Path, kind: '.read' | '.write'): void {
    if (this.#last === undefined) this.#trace.recordNoRule(path, kind)
  }

  /**
   * Evaluates a rule at a path; a rule that fails is false.
   * @param path at least as deep as the rule
   * @param ifIn tree in which the node must exist; without the node the rule is not evaluated, and the result is true
   */
  *evaluate(rule: Rule, path: Path, ifIn?: TreeView): Reads<boolean> {
    const context = this.#begin(rule, path)
    try {
      if (ifIn !== undefined && !(yield* ifIn.exists(path, context))) return true
      const value = yield* isTrue(rule.expression, context)
      this.#trace.recordResult(rule, value)
      return value
    } catch (error) {
      if (!(error instanceof RuleFailure)) throw error
      this.#trace.recordFailure(rule, error.message, context.at)
      return false
    }
  }

  /**
   * Whether a rule can be true, as far as is known before the body of a write is read.
   * @param path may be shorter than that of the rule: the missing keys are unknown
   */
  chanceOf(rule: Rule, path: Path): Reads<Chance> {
    return chanceOf(rule.expression, this.#begin(rule, path))
  }

  #begin(rule: Rule, path: Path): EvaluationContext {
    const context = this.#context
    this.#last = rule
    this.#usedTime ||= context.usesTime
    this.#pathsBefore = context.paths.length
    context.path = path
    context.depth = rule.path.length
    context.at = 0
    context.usesTime = false
    context.budget.startRule()
    return context
  }

  /** Counts one step of the walk to the rules. @returns whether a pause is due */
  isPauseDue(): boolean {
    const { budget } = this.#context
    budget.walk()
    return budget.isPauseDue()
  }

  /** Lets other work run. */
  pause(): Reads<void> {
    return this.#context.budget.pause()
  }
}
