import { type ParseError, parse } from 'jsonc-parser'
import { fileName, readText } from '../terminal/input.ts'
import { complaint, placeOf } from './text-position.ts'

/** The JSON in a file. @throws Error with the place of what is wrong */
export async function readJson(file: string): Promise<unknown> {
  const text = await readText(file)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(complaint(fileName(file), text, placeOf(text, offsetOfFault(text)), 'not JSON'), { cause })
  }
}

/** The built-in parser does not tell where it stopped. */
function offsetOfFault(text: string): number {
  const faults: ParseError[] = []
  parse(text, faults, { disallowComments: true })
  return faults[0]?.offset ?? 0
}

/** The JSON in a flag. @throws Error with the name of the flag */
export function parseFlag(flag: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${flag}: not JSON: ${text}`, { cause })
  }
}
