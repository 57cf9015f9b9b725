/** One part of the querying half. */
import type { Row } from './report.ts'
import type { Samples, Variant } from './rounds.ts'
import type { Settings } from './settings.ts'
import type { Workspace } from './workspace.ts'

export interface QueryPart {
  variants(workspace: Workspace, settings: Settings): Variant[]
  rows(samples: Samples, settings: Settings): Row[]
}
