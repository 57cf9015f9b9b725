import { compilePattern, type Pattern } from './pattern.ts'
import { type FileBounds, INSTRUCTIONS_AROUND } from './source-limits.ts'

/** Instructions compiled between two pauses. */
const STEP_INSTRUCTIONS = 4096

/** So many patterns were compiled that a pause is due. After it the expression is to be converted from its beginning. */
export class PatternPause extends Error {
  override readonly name = 'PatternPause'
}

/** The patterns of one rules file: equal ones are compiled once. */
export class PatternShelf {
  readonly #bounds: FileBounds
  readonly #patterns = new Map<string, Pattern>()
  /** Instructions compiled since the last pause. */
  #compiled = 0

  constructor(bounds: FileBounds) {
    this.#bounds = bounds
  }

  /**
   * @param at place of the pattern in the expression, for the refusal
   * @throws Refusal for what is no pattern of the rules, and when all together are too large;
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

  /** There was a pause. */
  resume(): void {
    this.#compiled = 0
  }
}
