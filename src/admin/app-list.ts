import { treeFile } from '../data-folder/tree-file.ts'
import { sizeOf } from '../files/file-size.ts'
import type { ListedApplication, ServerState } from './administration.ts'
import { Registry } from './registry.ts'

/**
 * The default application, then all registered applications by name.
 * @throws Error when a registration file is damaged
 */
export function listApplications(dataDir: string, { defaultId, open }: ServerState): readonly ListedApplication[] {
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
  return [...new Set([defaultId, ...registry.ids()])].map(listed)
}
