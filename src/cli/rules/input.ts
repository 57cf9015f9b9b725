import { type ParseError, parse } from 'jsonc-parser'
import { RuleCache } from '../../database/access/rule-cache.ts'
import { fileName, readText, STDIN } from '../terminal/input.ts'
import { problemOf, problemText } from './problem.ts'
import { errorText, positionOf } from './text-position.ts'

/** The rules of a file. @throws Error with the position of the fault */
export async function readRuleCache(file: string): Promise<RuleCache> {
  const source = await readText(file)
  try {
    return new RuleCache(source)
  } catch (thrown) {
    throw new Error(problemText(fileName(file), source, problemOf(thrown)), { cause: thrown })
  }
}

/** The JSON of a file. @throws Error with the position of the fault */
export async function readJson(file: string): Promise<unknown> {
  const text = await readText(file)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(errorText(fileName(file), text, positionOf(text, offsetOfFault(text)), 'not JSON'), { cause })
  }
}

/** Offset of a fault: `JSON.parse` does not report it. */
function offsetOfFault(text: string): number {
  const faults: ParseError[] = []
  parse(text, faults, { disallowComments: true })
  return faults[0]?.offset ?? 0
}

/** @throws Error when several files are standard input */
export function checkInputs(...files: readonly (string | undefined)[]): void {
  if (files.filter((file) => file === STDIN).length > 1) throw new Error('only one file can be standard input')
}
