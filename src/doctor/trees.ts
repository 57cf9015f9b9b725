import { existsSync, statSync } from 'node:fs'
import type { ServerState } from '../admin/administration.ts'
import { Registry } from '../admin/registry.ts'
import { secretFile, smsKeyFile } from '../data-folder/secret-file.ts'
import { treeFile } from '../data-folder/tree-file.ts'
import { messageOf } from '../files/system-error.ts'
import { movedText } from '../store/rows/copy/moved-text.ts'
import { inspectFile, type Problem } from '../store/sqlite/check/inspect.ts'
import { formatProblems } from '../store/sqlite/check/problem.ts'
import { ageOf, type FileAge } from '../store/sqlite/file/file-version.ts'
import { movedIn } from '../store/sqlite/log/moved.ts'
import { type CheckResult, ok, problem, warning } from './check-result.ts'

/** Maximum problems in one result. */
const MAX_PROBLEMS = 10

/**
 * Checks the registration, the keys and the tree of an application.
 * @param full reads every row
 * @param fixed keys that settings fix, so that no file holds them; `undefined` for a registered application
 */
export function* checkApplication(
  dataDir: string,
  id: string,
  full: boolean,
  fixed: ServerState['fixedKeys'] | undefined,
): Generator<CheckResult, void> {
  yield* checkRegistration(dataDir, id)
  const check = `keys of "${id}"`
  const file = treeFile(dataDir, id)
  // The first start of a server creates the keys of the default application.
  if (fixed === undefined || existsSync(file)) {
    for (const [key, kept] of [
      ['secret', secretFile(dataDir, id)],
      ['sms', smsKeyFile(dataDir, id)],
    ] as const) {
      if (!fixed?.includes(key) && !existsSync(kept)) {
        yield problem(check, `there is no ${kept}`, `\`dhole apps rotate ${id}\`, with --sms-key for the other one`)
      }
    }
  }
  yield checkTree(`tree "${id}"`, file, full)
}

function* checkRegistration(dataDir: string, id: string): Generator<CheckResult, void> {
  try {
    new Registry(dataDir).settings(id)
  } catch (error) {
    yield problem(`settings of "${id}"`, messageOf(error), 'correct the file, or restore it from a backup')
  }
}

function checkTree(check: string, file: string, full: boolean): CheckResult {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return ok(check, 'it has none yet: the first request makes it')
  const moved = movedIn(file)
  if (moved !== undefined) {
    return warning(check, movedText(moved.to), 'delete the file only when the tree is served from there')
  }
  if (existsSync(`${file}-restore`)) return ok(check, 'not checked: its restore is not complete')
  try {
    const problems = first(inspectFile(file, { quick: !full }))
    const age: FileAge = ageOf(file)
    if (age === 'newer') {
      return problem(check, 'a newer version has written it', 'run that version, or restore an older backup')
    }
    if (problems.length > 0) {
      return problem(check, formatProblems(problems), 'stop writing to it, and restore a backup')
    }
    if (age === 'older') return ok(check, `${found.size} bytes, of an older version: opening brings it up to date`)
    return ok(check, `${found.size} bytes, ${full ? 'every row checked' : 'pages checked'}`)
  } catch (error) {
    return problem(check, messageOf(error), 'check its permissions; if it is damaged, restore a backup')
  }
}

function first(problems: Iterable<Problem>): readonly Problem[] {
  const found: Problem[] = []
  for (const each of problems) {
    found.push(each)
    if (found.length === MAX_PROBLEMS) break
  }
  return found
}

/** Result while a restore replaces the trees: they are not checked. */
export function restoreRunning(error: unknown): CheckResult {
  return warning('trees', messageOf(error), 'try again later')
}
