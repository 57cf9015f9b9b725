import { refuse } from './rule-errors.ts'

/** Objects, lists, strings and so on. */
const MAX_VALUES = 100_000
const MAX_EXPRESSIONS = 30_000
/** Names, literals, members, calls and operands of all expressions. */
const MAX_PIECES = 1_000_000
const MAX_INSTRUCTIONS = 50_000
/** Memory of a pattern beside its program, in instructions. */
export const INSTRUCTIONS_AROUND = 10

/**
 * Limits of one rules file, so that reading it neither blocks the event loop nor fills the memory. Repeated expressions
 * and patterns count once.
 * @see docs/reference/protocol.md#the-file
 */
export class SourceLimits {
  #values = 0
  #expressions = 0
  #pieces = 0
  #instructions = 0

  /** @throws ExpressionError at that place, as the others do */
  countValue(at: number): void {
    if (++this.#values > MAX_VALUES) refuse(at, `a rules file has at most ${MAX_VALUES} values`)
  }

  countExpression(at: number): void {
    if (++this.#expressions > MAX_EXPRESSIONS) refuse(at, `a rules file has at most ${MAX_EXPRESSIONS} expressions`)
  }

  /** Pieces counted so far. */
  get pieces(): number {
    return this.#pieces
  }

  /** Takes back what was counted since: the expression is to be read again. */
  resetPieces(pieces: number): void {
    this.#pieces = pieces
  }

  countPiece(at: number): void {
    if (++this.#pieces > MAX_PIECES) refuse(at, 'the expressions of the file are too long all together')
  }

  /** @param size of the program, in instructions */
  countPattern(at: number, size: number): void {
    this.#instructions += size + INSTRUCTIONS_AROUND
    if (this.#instructions > MAX_INSTRUCTIONS) refuse(at, 'the patterns of the file are too large all together')
  }
}
