import { DholeError } from '../../error.ts'

/** Remaining length of a read, and whether it has met a priority. */
export interface Budget {
  left: number
  hasPriorities: boolean
}

/** Takes the length of a text from a budget. @param extra characters around the text */
export function spend(budget: Budget, text: string, extra = 0): string {
  budget.left -= text.length + extra
  if (budget.left < 0) throw new DholeError('read-too-big')
  return text
}
