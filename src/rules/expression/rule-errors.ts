/** A rule failed during its evaluation, so it is false. Caught by `RuleEvaluator` and the chance of a write. */
export class RuleFailure extends Error {
  override readonly name = 'RuleFailure'
}

/**
 * An evaluation that other writes wait for has taken too long. It is no decision: the rules must be evaluated outside the
 * transaction.
 */
export class EvaluationPostponed extends Error {
  override readonly name = 'EvaluationPostponed'
}

/** A value that is unknown before the body of a write is read: a key of the payload, or the new tree. */
export class UnknownValue extends Error {
  override readonly name = 'UnknownValue'
}

/** Ends the evaluation of the current rule. */
export function fail(why: string): never {
  throw new RuleFailure(why)
}

/** Ends the evaluation of what depends on a value that is not known yet. */
export function unknown(): never {
  throw new UnknownValue()
}

/** Error in an expression, before its position in the file is known. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
  /** Position of the error, in characters from the beginning of the expression. */
  readonly at: number

  constructor(at: number, why: string) {
    super(why)
    this.at = at
  }
}

/** Throws an `ExpressionError`. */
export function refuse(at: number, why: string): never {
  throw new ExpressionError(at, why)
}
