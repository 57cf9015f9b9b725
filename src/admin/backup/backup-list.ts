import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../files/system-error.ts'
import { runInTurns } from '../../scheduling/turns.ts'
import { parseJsonInSteps } from '../../tree/json/parse-json.ts'
import { writeBounds } from '../../tree/json/shape/json-shape.ts'
import type { ListedBackup } from '../operations/storage-schemas.ts'
import { manifestFile } from './manifest.ts'

/** Backups of one list. */
const MOST_LISTED = 100
/** Applications of a backup that a list names. */
const MOST_NAMED = 100
/** Longest manifest that is read for a list, in bytes. */
const LONGEST_MANIFEST = 16 * 1024 * 1024
/** Name of a backup: no path, and no folder that is still being written. */
const NAME = /^(?!.*\.unfinished-)[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** Whether a text may name a backup in a folder of backups. */
export function isBackupName(text: string): boolean {
  return NAME.test(text)
}

/** The backups of a folder, by name, the last one first; other folders are left out. */
export async function listBackups(folder: string): Promise<readonly ListedBackup[]> {
  const names = await namesIn(folder)
  const listed: ListedBackup[] = []
  for (const name of names.filter(isBackupName).sort().reverse()) {
    if (listed.length === MOST_LISTED) break
    const found = await readBackup(join(folder, name), name)
    if (found !== undefined) listed.push(found)
  }
  return listed
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** @returns `undefined` unless the folder is a backup */
async function readBackup(folder: string, name: string): Promise<ListedBackup | undefined> {
  const file = manifestFile(folder)
  try {
    if ((await stat(file)).size > LONGEST_MANIFEST) return undefined
    const bytes = await readFile(file)
    return summaryOf(name, await runInTurns(parseJsonInSteps(bytes, writeBounds(LONGEST_MANIFEST))))
  } catch {
    // No backup, or one that is being deleted.
    return undefined
  }
}

function summaryOf(name: string, manifest: unknown): ListedBackup | undefined {
  if (!isObject(manifest)) return undefined
  const { madeAt, applications } = manifest
  if (typeof madeAt !== 'string' || !Array.isArray(applications)) return undefined
  const named: unknown[] = applications.slice(0, MOST_NAMED)
  return {
    name,
    madeAt,
    count: applications.length,
    applications: named.flatMap((application) => {
      if (!isObject(application) || typeof application['id'] !== 'string') return []
      const { id, tree } = application
      return [{ id, bytes: isObject(tree) && typeof tree['bytes'] === 'number' ? tree['bytes'] : 0 }]
    }),
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
