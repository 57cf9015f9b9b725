/** One part of a half: what it measures, and the rows that become of it. */
import type { Row } from '../report/table.ts'
import type { Samples, Variant } from './rounds.ts'
import type { Settings } from './settings.ts'
import type { Workspace } from './workspace.ts'

export interface Part {
  variants(workspace: Workspace, settings: Settings): Variant[]
  rows(samples: Samples, settings: Settings): Row[]
}
