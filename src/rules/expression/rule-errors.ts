/** Why one rule has no answer while it runs: the whole rule is false then. It never leaves the room. */
export class RuleFailure extends Error {
  override readonly name = 'RuleFailure'
}

/**
 * Rules that are judged while other writes wait have taken longer than those may wait. It is no verdict: they are to be
 * judged where nobody waits.
 */
export class EvaluationPostponed extends Error {
  override readonly name = 'JudgingPostponed'
}

/** Something that is not known before the body of a write is read: a key of the payload, or what it leaves behind. */
export class UnknownValue extends Error {
  override readonly name = 'NotKnownYet'
}

/** Ends the evaluation of the rule that is being looked at. */
export function fail(why: string): never {
  throw new RuleFailure(why)
}

/** What is wrong with an expression, before it is known where in the file the expression stands. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** Place of the offending piece, in characters from the beginning of the expression. */
  readonly at: number

  constructor(at: number, why: string) {
    super(why)
    this.at = at
  }
}

/** Refuses an expression. */
export function refuse(at: number, why: string): never {
  throw new Refusal(at, why)
}
