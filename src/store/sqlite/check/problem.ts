import type { Client } from '../file/client.ts'

/** A problem of a file. */
export interface Problem {
  /** What is wrong, such as `a closure row is missing`. */
  readonly check: string
  /** The row or value. */
  readonly detail: string
}

/** Maximum reported rows of one kind. */
export const MAX_REPORTED = 100
const LONGEST_DETAIL = 200

/** A problem with its row or value, which is cut when it is long. */
export function problem(check: string, found: unknown): Problem {
  const text = typeof found === 'string' ? found : JSON.stringify(found)
  return { check, detail: text.length > LONGEST_DETAIL ? `${text.slice(0, LONGEST_DETAIL)}…` : text }
}

/** A query that returns inconsistent rows, and their description. */
export type Violation = readonly [check: string, query: string]

/** The first rows that each query returns. */
export function* violations(client: Client, all: readonly Violation[]): Generator<Problem, void> {
  for (const [check, query] of all) {
    const rows = client.prepare<Record<string, unknown>, []>(`${query} LIMIT ${MAX_REPORTED}`).all()
    for (const row of rows) yield problem(check, row)
  }
}

/** Problems shown in one line. */
const SHOWN = 3

/** The first few problems of a file, in one line. */
export function formatProblems(problems: readonly Problem[]): string {
  const shown = problems.slice(0, SHOWN).map(({ check, detail }) => `${check} (${detail})`)
  return problems.length > SHOWN ? `${shown.join('; ')}; and more` : shown.join('; ')
}
