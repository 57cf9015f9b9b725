import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TempDir } from './temp-dir.ts'

const ROOT = Bun.fileURLToPath(new URL('../..', import.meta.url))
const COPIED = ['src', 'drizzle/postgres', 'drizzle/sqlite', 'package.json', 'packaging/swagger-ui'] as const
const JOURNAL = 'drizzle/postgres/meta/_journal.json'

/** What a later version has beside this one. */
export interface LaterVersion {
  /** Its number, such as `0.2.0`. */
  readonly version: string
  /** Statements of further migrations of PostgreSQL, each with its name. */
  readonly migrations: readonly (readonly [name: string, sql: string])[]
}

/** Makes a copy of the program that is a later version of it. @returns file of its command */
export function laterVersion(dir: TempDir, { version, migrations }: LaterVersion): string {
  const at = (path: string) => join(dir.file(version), path)
  for (const path of COPIED) cpSync(join(ROOT, path), at(path), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), at('node_modules'))
  const manifest = JSON.parse(readFileSync(at('package.json'), 'utf8')) as object
  writeFileSync(at('package.json'), JSON.stringify({ ...manifest, version }))
  const journal = JSON.parse(readFileSync(at(JOURNAL), 'utf8')) as { readonly entries: readonly object[] }
  const entries = [
    ...journal.entries,
    ...migrations.map(([tag], index) => ({ idx: journal.entries.length + index, tag })),
  ]
  writeFileSync(at(JOURNAL), JSON.stringify({ ...journal, entries }))
  for (const [name, sql] of migrations) writeFileSync(at(`drizzle/postgres/${name}.sql`), sql)
  return at('src/cli/main.ts')
}
