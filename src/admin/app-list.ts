import { treeFile } from '../data-folder/tree-file.ts'
import { sizeOf } from '../files/file-size.ts'
import type { Steps } from '../scheduling/steps.ts'
import type { ListedApplication, ServerState } from './administration.ts'
import { Registry } from './registry.ts'

/**
 * The default application, then all registered applications by name. Each takes the reading of a file.
 * @throws Error when a registration file is damaged
 */
export function* listInSteps(dataDir: string, { defaultId, open }: ServerState): Steps<readonly ListedApplication[]> {
  const registry = new Registry(dataDir)
  const known = new Map(open.map((application) => [application.id, application]))
  const listed = (id: string): ListedApplication => {
    const isDefault = id === defaultId
    const file = treeFile(dataDir, id)
    const bytes = sizeOf(file) + sizeOf(`${file}-wal`)
    const now = known.get(id)
    if (now !== undefined) return { id, profile: now.profile, rules: now.rules, bytes, isDefault }
    if (isDefault) return { id, bytes, isDefault }
    return { id, profile: registry.settings(id)?.profile ?? 'wilddog', rules: registry.rulesOf(id), bytes, isDefault }
  }
  const all: ListedApplication[] = []
  for (const id of new Set([defaultId, ...registry.ids()])) {
    all.push(listed(id))
    yield
  }
  return all
}
