/** AceBase, another embedded tree with queries, on the same places. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AceBase } from 'acebase'

export const ACEBASE_LIST = 'places'
export const ACEBASE_INDEXES = ['name', 'district']

const NAME = 'bench'

/** Opens the database in a directory, a new one when there is none. */
export async function openAcebase(dataDir: string): Promise<AceBase> {
  mkdirSync(dataDir, { recursive: true })
  const database = new AceBase(NAME, { logLevel: 'error', storage: { path: dataDir } })
  await database.ready()
  return database
}

/** Whether a load has come to its end. */
export function isLoaded(dataDir: string): boolean {
  return existsSync(loadedFile(dataDir))
}

/** Written when everything is loaded: a load that was given up leaves none. */
export function loadedFile(dataDir: string): string {
  return join(dataDir, 'loaded')
}
