import { RE2JS } from 're2js'
import { readPattern } from './pattern-reader.ts'
import { refuse } from './rule-errors.ts'

/** A pattern whose match takes time linear in the text, for every pattern and text. */
export interface Pattern {
  /** Size of its program, in instructions. */
  readonly size: number
  readonly stepsPerCharacter: number
  /** Whether the text contains a match. */
  test(text: string): boolean
}

/** Maximum size of a program: about that of `(.{30}){30}`. */
const MAX_PROGRAM_SIZE = 1_000
/** In the worst case each character visits the whole program; eight instructions cost about one step. */
const INSTRUCTIONS_PER_STEP = 8

/**
 * @param at position of the pattern in the expression
 * @throws ExpressionError for an invalid pattern
 * @see docs/reference/protocol.md#rules
 */
export function compilePattern(at: number, text: string, flags: string): Pattern {
  if (flags !== '' && flags !== 'i') refuse(at, `unknown flag of a pattern "${flags}"`)
  const compiled = compile(at, readPattern(at, text), flags === 'i' ? RE2JS.CASE_INSENSITIVE : 0)
  const size = compiled.programSize()
  if (size > MAX_PROGRAM_SIZE) refuse(at, 'the pattern is too large')
  return {
    size,
    stepsPerCharacter: Math.ceil(size / INSTRUCTIONS_PER_STEP),
    test: (subject) => compiled.test(subject),
  }
}

function compile(at: number, source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(source, flags)
  } catch {
    return refuse(at, 'the pattern is too large')
  }
}
