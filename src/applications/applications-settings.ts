import type { Awaitable } from '../scheduling/awaitable.ts'
import type { ApplicationParts } from './application.ts'

/** How the applications of a process are found and kept open. */
export interface ApplicationsSettings {
  /**
   * Looks up an application that is not open. Called for every request that names one, so it must be quick.
   * @returns a function that opens it, `undefined` when there is no such application
   * @throws when its settings cannot be read
   */
  readonly find: (id: string) => Awaitable<(() => Awaitable<ApplicationParts>) | undefined>
  /** Application of requests that name none. */
  readonly defaultId: string | undefined
  /** Domain whose subdomains name applications. */
  readonly baseDomain: string | undefined
  /** Time without requests and streams after which an application is closed, in milliseconds. */
  readonly idleMs: number
  /** Most applications open at once, not counting those that stay open. */
  readonly maxOpen: number
  /** Called with an application that cannot be opened or closed. */
  readonly onError: (id: string, error: unknown) => void
  /** Called when all applications are closed. */
  readonly onClosed?: () => Promise<void>
  /** Whether this process must answer nothing, asked for every request. Absent where it never has to. */
  readonly isSilent?: (() => boolean) | undefined
}
