import type { DholeOptions } from '../options.ts'
import type { Engine } from './engine.ts'
import { PostgresEngine } from './postgres-engine.ts'
import { SqliteEngine } from './sqlite-engine.ts'

/** The engine that options choose: a database server, or files in the data folder. */
export function chooseEngine(dataDir: string, { database }: Pick<DholeOptions, 'database'>): Engine {
  return database === undefined ? new SqliteEngine(dataDir) : new PostgresEngine(database)
}
