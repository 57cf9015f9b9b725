import { compilePattern, type Pattern } from './pattern.ts'
import { INSTRUCTIONS_AROUND, type SourceLimits } from './source-limits.ts'

/** Instructions compiled between two pauses. */
const STEP_INSTRUCTIONS = 4096

/** Thrown when a pause is due. After it the expression must be compiled from its beginning. */
export class PatternPause extends Error {
  override readonly name = 'PatternPause'
}

/** The compiled patterns of one rules file; equal patterns are compiled once. */
export class PatternCache {
  readonly #bounds: SourceLimits
  readonly #patterns = new Map<string, Pattern>()
  /** Instructions compiled since the last pause. */
  #compiled = 0

  constructor(bounds: SourceLimits) {
    this.#bounds = bounds
  }

  /**
   * @param at position of the pattern in the expression
   * @throws ExpressionError for an invalid pattern, and when all patterns together are too large;
   * PatternPause
   */
  pattern(at: number, text: string, flags: string): Pattern {
    const key = `${flags}/${text}`
    const known = this.#patterns.get(key)
    if (known !== undefined) return known
    if (this.#compiled >= STEP_INSTRUCTIONS) throw new PatternPause()
    const pattern = compilePattern(at, text, flags)
    this.#bounds.countPattern(at, pattern.size)
    this.#patterns.set(key, pattern)
    this.#compiled += pattern.size + INSTRUCTIONS_AROUND
    return pattern
  }

  /** Restarts the count after a pause. */
  resume(): void {
    this.#compiled = 0
  }
}
