import { existsSync, statSync } from 'node:fs'
import { Registry } from '../admin/registry.ts'
import { secretFile, smsKeyFile } from '../data-folder/secret-file.ts'
import { treeFile } from '../data-folder/tree-file.ts'
import { inspectFile, type Problem } from '../store/sqlite/check/inspect.ts'
import { tellProblems } from '../store/sqlite/check/problem.ts'
import { ageOf, type FileAge } from '../store/sqlite/file/file-version.ts'
import { type Finding, ok, problem, reasonOf, warning } from './check-result.ts'

/** Problems after which nobody needs more. */
const ENOUGH = 10

/** Which keys are settings, so that no file has them. */
export interface FixedKeys {
  readonly secret: boolean
  readonly sms: boolean
}

/** Whether an application can be opened: its registration, its keys, its tree. @param full whether every row is read */
export function* lookAtApplication(
  dataDir: string,
  id: string,
  full: boolean,
  fixed: FixedKeys | undefined,
): Generator<Finding, void> {
  yield* lookAtRegistration(dataDir, id)
  const check = `keys of "${id}"`
  const file = treeFile(dataDir, id)
  // The first start of a server makes those of the default application.
  if (fixed === undefined || existsSync(file)) {
    for (const [kept, isFixed] of [
      [secretFile(dataDir, id), fixed?.secret],
      [smsKeyFile(dataDir, id), fixed?.sms],
    ] as const) {
      if (isFixed !== true && !existsSync(kept)) {
        yield problem(check, `there is no ${kept}`, `\`dhole apps rotate ${id}\`, with --sms-key for the other one`)
      }
    }
  }
  yield lookAtTree(`tree "${id}"`, file, full)
}

function* lookAtRegistration(dataDir: string, id: string): Generator<Finding, void> {
  try {
    new Registry(dataDir).settings(id)
  } catch (error) {
    yield problem(`settings of "${id}"`, reasonOf(error), 'mend the file, or restore it from a backup')
  }
}

function lookAtTree(check: string, file: string, full: boolean): Finding {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return ok(check, 'it has none yet: the first request makes it')
  if (existsSync(`${file}-restore`)) return ok(check, 'it is looked at when its restore has ended')
  try {
    const problems = first(inspectFile(file, { quick: !full }))
    const age: FileAge = ageOf(file)
    if (age === 'newer') {
      return problem(check, 'a newer version has written it', 'run that version, or restore a backup of before it')
    }
    if (problems.length > 0) {
      return problem(check, tellProblems(problems), 'stop writing to it, and restore a backup')
    }
    if (age === 'older') return ok(check, `${found.size} bytes, of an older version: opening brings it up to date`)
    return ok(check, `${found.size} bytes, ${full ? 'every row looked at' : 'pages looked at'}`)
  } catch (error) {
    return problem(check, reasonOf(error), 'look at its permissions; if it is damaged, restore a backup')
  }
}

function first(problems: Iterable<Problem>): readonly Problem[] {
  const found: Problem[] = []
  for (const each of problems) {
    found.push(each)
    if (found.length === ENOUGH) break
  }
  return found
}

/** For a folder that is being restored to: nothing is looked at that is about to go. */
export function restoreAtWork(error: unknown): Finding {
  return warning('trees', reasonOf(error), 'ask again later')
}
