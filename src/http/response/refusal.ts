import { Denial } from '../../database/access/denial.ts'
import type { DholeError } from '../../error.ts'
import type { Refusal } from '../../observer.ts'

/** Longest text of a rule that is kept, in characters. */
const LONGEST_TEXT = 512

/** What is kept of an error for the operator. */
export function refusalOf(error: DholeError): Refusal {
  const { code } = error
  if (!(error instanceof Denial) || error.rule === undefined) return { code }
  const { path, kind, text } = error.rule
  return { code, rule: { path: shortened(`/${[...path, kind].join('/')}`), text: shortened(text) } }
}

function shortened(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text
}
