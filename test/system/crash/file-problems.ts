import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { treeFile } from '../../../src/data-folder/tree-file.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { strictObserver } from '../../support/store.ts'
import { closedFileProblems } from './closed-file.ts'

/**
 * Opens copies of the files that a dead process has left, has them swept, closes them and looks at every table. The
 * files themselves stay as they are for the next process.
 * @param scratch an empty folder
 */
export async function fileProblems(dataDir: string, apps: readonly string[], scratch: string): Promise<string[]> {
  const problems: string[] = []
  for (const app of apps) {
    const file = treeFile(dataDir, app)
    if (!existsSync(file)) continue
    const copy = join(scratch, `${app}.sqlite`)
    for (const suffix of ['', '-wal']) if (existsSync(file + suffix)) cpSync(file + suffix, copy + suffix)
    const store = new SqliteStore(copy, {}, strictObserver)
    await store.swept()
    await store.close()
    problems.push(...closedFileProblems(copy).map((problem) => `${app}: ${problem}`))
  }
  return problems
}
