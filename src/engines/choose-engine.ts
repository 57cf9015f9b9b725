import type { DholeOptions } from '../options.ts'
import type { Engine } from './engine.ts'
import { type OnKeysMade, PostgresEngine } from './postgres-engine.ts'
import { SqliteEngine } from './sqlite-engine.ts'

/**
 * The engine that options choose: a database server, or files in the data folder.
 * @param onKeysMade called when this process has made keys that are stored in the database
 */
export function chooseEngine(
  dataDir: string,
  { database }: Pick<DholeOptions, 'database'>,
  onKeysMade?: OnKeysMade,
): Engine {
  return database === undefined ? new SqliteEngine(dataDir) : new PostgresEngine(database, onKeysMade)
}
