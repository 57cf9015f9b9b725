/** Copies an application, and is killed at a point. Argument: JSON of `CrashPlan`. */
import { type CopyOptions, copyApplications } from '../../../src/admin/copy/copy.ts'
import type { CopyStep } from '../../../src/admin/copy/copy-tree.ts'

export interface CrashPlan {
  readonly options: CopyOptions
  /** The step behind which it is killed; `rows` behind the first page of rows. */
  readonly at: CopyStep | 'rows'
}

const { options, at } = JSON.parse(process.argv[2] ?? '') as CrashPlan
await copyApplications(options, {
  onStep: (_, step) => die(step),
  onRows: () => die('rows'),
})

function die(reached: CrashPlan['at']): void {
  if (reached === at) process.kill(process.pid, 'SIGKILL')
}
