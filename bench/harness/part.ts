/** What a run consists of: chapters, each with a table of its own, and their parts. */
import type { Row } from '../report/row.ts'
import type { Heading } from '../report/table.ts'
import type { Measurement, Samples } from './rounds.ts'
import type { Settings } from './settings.ts'
import type { Workspace } from './workspace.ts'

/** What is measured together, and the rows that become of it. */
export interface Part {
  /** Whether a quick run has it too. Default `false`. */
  readonly quick?: true
  /** Makes the data that the measurements read; what is there already is not made again. */
  prepare?(workspace: Workspace, settings: Settings): Promise<void>
  variants(workspace: Workspace, settings: Settings): Measurement[]
  rows(samples: Samples, settings: Settings): Row[]
}

export interface Chapter extends Heading {
  /** In the order of their rows. */
  readonly parts: readonly Part[]
  /** What it needs and this machine does not have, such as `no PostgreSQL is installed`. */
  readonly missing?: string | undefined
  /** What stands above the table. */
  describe(settings: Settings): string
}
