import type { HubEvents, HubSettings } from '../hub/hub.ts'
import type { IndexPolicy } from '../query/index-declarations.ts'
import type { Family } from '../query/query.ts'
import type { RuleSet } from '../rules/file/rule-set.ts'
import type { Limits } from '../tree/limits.ts'
import type { SessionEvents } from './open-sessions.ts'

/** Settings of one tree. */
export interface DatabaseSettings {
  readonly limits: Limits
  /** The dialect of query answers where those of Wilddog and Firebase differ. */
  readonly profile: Family
  /** Whether queries by a child or value need a declared index. */
  readonly indexPolicy: IndexPolicy
  readonly streams: HubSettings
  /** Source of the rules in force until others are stored. */
  readonly rules: string
  /** Whether `rules` are stored when the tree has none of its own. */
  readonly keepRules: boolean
  /** The stored rules, if they are parsed already. */
  readonly storedRules?: RuleSet | undefined
  /** Called when an index that rules declare cannot be built, or stored rules cannot be read. */
  readonly onTroubled: (error: unknown) => void
  /** Callbacks about streams. */
  readonly onStreams?: HubEvents
  /** Callbacks about sessions. */
  readonly onSessions?: SessionEvents
}
