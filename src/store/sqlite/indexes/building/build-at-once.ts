import type { Connection } from '../../file/connection.ts'
import type { IndexDefinition } from '../definitions.ts'
import type { BuildTables } from './build.ts'
import { columnsOf, entryPages } from './child-entries.ts'
import { EntrySorter } from './entry-sorter.ts'

/** Builds the whole index of a short list in the open transaction. @returns rows read */
export function* buildAtOnce(
  connection: Connection,
  { definitions, entries, reader }: BuildTables,
  definition: IndexDefinition,
): Generator<void, number> {
  const sorter = new EntrySorter(connection.client.filename)
  let rows = 0
  for (const page of entryPages(connection, reader, definition)) {
    sorter.add(page.entries)
    if (page.hasCut) definitions.markCut(definition)
    rows += page.rows
    yield
  }
  let added = 0
  for (const page of sorter.pages()) {
    entries.insertAll(definition.id, columnsOf(page, definition.covering), definition.covering)
    added += page.length
    yield
  }
  definitions.progress(definition, null, added)
  return rows
}
