import { statSync } from 'node:fs'
import { treeFile } from '../data-folder/tree-file.ts'
import type { ServerState } from './administration.ts'
import { Registry, type RulesKind } from './registry.ts'

/** One line of `dhole apps list`. */
export interface ListedApplication {
  readonly id: string
  /** Whose answers a query gets; `undefined` where only a running server could tell. */
  readonly profile: string | undefined
  /** Which rules decide: of one that is not open, those it was registered with. */
  readonly rules: RulesKind | undefined
  /** Size of its database file and of the write-ahead log beside it; 0 when it has none yet. */
  readonly bytes: number
  readonly isDefault: boolean
}

/**
 * The default application and all that are registered, by name.
 * @throws Error when the file of one is damaged
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
    if (isDefault) return { id, profile: undefined, rules: undefined, bytes, isDefault }
    return { id, profile: registry.settings(id)?.profile ?? 'wilddog', rules: registry.rulesOf(id), bytes, isDefault }
  }
  return [...new Set([defaultId, ...registry.ids()])].map(listed)
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
