import type { Problem } from '../store/sqlite/inspect.ts'

/** Problems shown in one line; the others would say the same. */
const SHOWN = 3

/** The first few problems of a file, in one line. */
export function tellProblems(problems: readonly Problem[]): string {
  const shown = problems.slice(0, SHOWN).map(({ check, detail }) => `${check} (${detail})`)
  return problems.length > SHOWN ? `${shown.join('; ')}; and more` : shown.join('; ')
}
