import type { ClientsTaken } from '../operations/monitor-schemas.ts'
import type { ReportedCheck } from './reported-check.ts'

/** Parts of a running server beside its applications that admin operations use. */
export interface ServerPorts {
  /** What `dhole doctor` finds. It is looked for beside the event loop; calls at the same time share one look. */
  doctor(): Promise<readonly ReportedCheck[]>
  /** What clients take now, and what they may take. */
  clients(): ClientsTaken
  /** Replaces the secret of the operator, and ends the sessions of the old one. @throws Error when a setting fixes it */
  rotateOperatorSecret(): string
}
