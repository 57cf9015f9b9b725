/** Data directories of many registered applications, as `dhole apps add` leaves them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { secretFile, smsKeyFile } from '../../src/data-folder/secret-file.ts'
import { treeFile } from '../../src/data-folder/tree-file.ts'
import { openTree } from '../../src/open-tree.ts'
import { SECRET } from './club.ts'

/** Those that have a tree already; as many as there are, if there are fewer. */
export const PLANTED = 120

const OWNER_ONLY = 0o600

export function applicationName(number: number): string {
  return `shop-${String(number).padStart(5, '0')}`
}

/** Without the syncs of the command, which would take minutes. */
export async function buildApplications(dataDir: string, count: number): Promise<void> {
  for (let number = 0; number < count; number++) register(dataDir, applicationName(number))
  for (let number = 0; number < Math.min(count, PLANTED); number++) {
    await using database = openTree({ file: treeFile(dataDir, applicationName(number)) })
    await database.put('/title', `Shop ${number}`)
  }
}

function register(dataDir: string, id: string): void {
  keep(join(dataDir, 'apps', `${id}.json`), JSON.stringify({ open: true }))
  keep(secretFile(dataDir, id), SECRET)
  keep(smsKeyFile(dataDir, id), SECRET)
}

function keep(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${text}\n`, { mode: OWNER_ONLY })
}
