import type { Steps } from '../../scheduling/steps.ts'

const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|[\s\S])/g
/** Lines counted between two pauses. */
const STEP_LINES = 4096

/** Position in the raw string of a character of its text. */
export function rawIndex(raw: string, index: number): number {
  let at = index
  for (const { 0: found, index: start } of raw.matchAll(ESCAPE)) {
    if (start >= at) break
    at += found.length - 1
  }
  return at
}

/** Line number of a character, from 1. */
export function* lineInSteps(source: string, offset: number): Steps<number> {
  let line = 1
  for (let at = source.indexOf('\n'); at !== -1 && at < offset; at = source.indexOf('\n', at + 1)) {
    if (++line % STEP_LINES === 0) yield
  }
  return line
}

/** Column number of a character, from 1. */
export function columnOf(source: string, offset: number): number {
  return offset === 0 ? 1 : offset - source.lastIndexOf('\n', offset - 1)
}

const MAX_QUOTED_LENGTH = 200

/** A piece of a file, shortened for messages. */
export function shortened(text: string): string {
  return text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text
}
