import type { AdminService } from './admin-service.ts'
import type { Sessions } from './sessions.ts'

/** The admin API of one mount point. */
export interface Admission {
  readonly service: AdminService
  readonly sessions: Sessions
}
