import type { RE2JS } from 're2js'
import { readPattern } from './pattern-reader.ts'
import { refuse } from './rule-errors.ts'
import { INSTRUCTIONS_AROUND, type SourceLimits } from './source-limits.ts'

/** A pattern whose match takes time linear in the text, for every pattern and text. */
export interface Pattern {
  /** Size of its program, in instructions. */
  readonly size: number
  readonly stepsPerCharacter: number
  /** Whether the text contains a match. */
  test(text: string): boolean
}

/** Loaded by the first pattern, in a few milliseconds: most rules have none, and it takes memory. */
let library: typeof import('re2js') | undefined
/** Maximum size of a program: about that of `(.{30}){30}`. */
const MAX_PROGRAM_SIZE = 1_000
/** In the worst case each character visits the whole program; eight instructions cost about one step. */
const INSTRUCTIONS_PER_STEP = 8
/** Instructions compiled between two pauses. */
const STEP_INSTRUCTIONS = 4096

/**
 * @param at position of the pattern in the expression
 * @throws ExpressionError for an invalid pattern
 * @see docs/reference/protocol.md#rules
 */
function compilePattern(at: number, text: string, flags: string): Pattern {
  if (flags !== '' && flags !== 'i') refuse(at, `unknown flag of a pattern "${flags}"`)
  const compiled = compile(at, readPattern(at, text), flags === 'i')
  const size = compiled.programSize()
  if (size > MAX_PROGRAM_SIZE) refuse(at, 'the pattern is too large')
  return {
    size,
    stepsPerCharacter: Math.ceil(size / INSTRUCTIONS_PER_STEP),
    test: (subject) => compiled.test(subject),
  }
}

function compile(at: number, source: string, ignoreCase: boolean): RE2JS {
  library ??= require('re2js') as typeof import('re2js')
  const { RE2JS } = library
  try {
    return RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  } catch {
    return refuse(at, 'the pattern is too large')
  }
}

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
