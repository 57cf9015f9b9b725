import { type ParseError, parse } from 'jsonc-parser'
import { fileName, readText } from '../terminal/input.ts'
import { errorText, positionOf } from './text-position.ts'

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

/** The JSON of a flag. @throws Error with the name of the flag */
export function parseFlag(flag: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${flag}: not JSON: ${text}`, { cause })
  }
}
