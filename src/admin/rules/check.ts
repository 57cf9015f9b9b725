import { type Static, Type } from '@sinclair/typebox'
import { readInTurns } from '../../database/access/rule-cache.ts'
import { DholeError } from '../../error.ts'

/** One mistake in the source of rules. */
export const rulesProblem = Type.Object({
  message: Type.String(),
  /** Line and column from 1, columns in UTF-16 code units. */
  line: Type.Integer(),
  column: Type.Integer(),
  /** Number of wrong characters, where it is known. */
  length: Type.Optional(Type.Integer()),
  severity: Type.Union([Type.Literal('error'), Type.Literal('warning')]),
})

const POSITIONED = /^Line (\d+): (.*)$/s
const COLUMN = / \(column (\d+)\)/

/** Reads rules as a server does, up to the first mistake. A long source takes several turns of the event loop. */
export async function checkedRules(source: string): Promise<{ problems: Static<typeof rulesProblem>[] }> {
  try {
    await readInTurns(source)
    return { problems: [] }
  } catch (thrown) {
    if (!(thrown instanceof DholeError) || !(thrown.code === 'bad-rules' || thrown.code === 'rule-wildcards')) {
      throw thrown
    }
    return { problems: [problemOf(thrown.message)] }
  }
}

function problemOf(text: string): Static<typeof rulesProblem> {
  const [, line, rest = text] = POSITIONED.exec(text) ?? []
  const column = COLUMN.exec(rest)?.[1]
  return {
    message: rest.replace(COLUMN, ''),
    line: Number(line ?? 1),
    column: Number(column ?? 1),
    severity: 'error',
  }
}
