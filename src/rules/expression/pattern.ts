import { RE2JS } from 're2js'
import { readPattern } from './pattern-reader.ts'
import { refuse } from './rule-errors.ts'

/** A pattern that takes a time in proportion to the text, whoever wrote either. */
export interface Pattern {
  /** Of its program, in instructions. */
  readonly size: number
  readonly stepsPerCharacter: number
  /** Whether it occurs in the text. */
  test(text: string): boolean
}

/** Greatest program: a pattern such as `(.{30}){30}` comes to about that. */
const MAX_PROGRAM_SIZE = 1_000
/** In the worst case every character is tried against the whole program, eight instructions in about a step. */
const INSTRUCTIONS_PER_STEP = 8

/**
 * @param at place of the pattern in the expression, for the refusal
 * @throws Refusal for what is no pattern of the rules
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
