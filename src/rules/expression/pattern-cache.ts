import { compilePattern, type Pattern } from './pattern.ts'
import type { FileBounds } from './source-limits.ts'

/** The patterns of one rules file: equal ones are compiled once. */
export class PatternShelf {
  readonly #bounds: FileBounds
  readonly #patterns = new Map<string, Pattern>()

  constructor(bounds: FileBounds) {
    this.#bounds = bounds
  }

  /**
   * @param at place of the pattern in the expression, for the refusal
   * @throws Refusal for what is no pattern of the rules, and when all together are too large
   */
  pattern(at: number, text: string, flags: string): Pattern {
    const key = `${flags}/${text}`
    const known = this.#patterns.get(key)
    if (known !== undefined) return known
    const pattern = compilePattern(at, text, flags)
    this.#bounds.countPattern(at, pattern.size)
    this.#patterns.set(key, pattern)
    return pattern
  }
}
