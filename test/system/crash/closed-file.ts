import { Database as Client } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { inspectFile } from '../../../src/store/sqlite/check/inspect.ts'

/** What a store that is swept and closed has ended, and an open one may still have before it. */
const UNENDED: Readonly<Record<string, string>> = {
  'a subtree that was cut off is not swept': 'SELECT 1 FROM detached',
  'an index that was given up is there': 'SELECT 1 FROM index_definition WHERE list_id < 0',
}

/** What is wrong with a file of a store that was swept and closed, every row looked at; empty when nothing is. */
export function closedFileProblems(file: string): string[] {
  const problems = [...inspectFile(file)].map(({ check, detail }) => `${check}: ${detail}`)
  if (existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0) problems.push('the log was not folded in')
  using client = new Client(file, { readonly: true })
  for (const [what, query] of Object.entries(UNENDED)) if (client.query(query).get() !== null) problems.push(what)
  return problems
}
