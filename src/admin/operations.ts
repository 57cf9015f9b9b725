import type { Static } from '@sinclair/typebox'
import { DholeError } from '../error.ts'
import type { StreamOperation, ValueOperation } from './operation.ts'
import { APPLICATION_OPERATIONS } from './operations/application-operations.ts'
import { BACKUP_OPERATIONS } from './operations/backup-operations.ts'
import { INDEX_OPERATIONS } from './operations/index-operations.ts'
import { MESSAGE_OPERATIONS } from './operations/message-operations.ts'
import { MONITOR_OPERATIONS } from './operations/monitor-operations.ts'
import { RULES_OPERATIONS } from './operations/rules-operations.ts'
import { SERVER_OPERATIONS } from './operations/server-operations.ts'
import { TOKEN_OPERATIONS } from './operations/token-operations.ts'
import { TREE_OPERATIONS } from './operations/tree-operations.ts'

/**
 * Every operation on a server and its applications: access, input, result and handler. Transports carry these operations
 * and know nothing else about them; clients derive their types from this table.
 */
export const OPERATIONS = {
  ...APPLICATION_OPERATIONS,
  ...SERVER_OPERATIONS,
  ...RULES_OPERATIONS,
  ...TOKEN_OPERATIONS,
  ...TREE_OPERATIONS,
  ...MESSAGE_OPERATIONS,
  ...MONITOR_OPERATIONS,
  ...INDEX_OPERATIONS,
  ...BACKUP_OPERATIONS,
} as const

type Operations = typeof OPERATIONS

/** Names of the operations that return one JSON value. */
export type ValueName = {
  [Name in keyof Operations]: Operations[Name] extends ValueOperation ? Name : never
}[keyof Operations]

/** Names of the operations that return text of any length. */
export type StreamName = Exclude<keyof Operations, ValueName>

export type InputOf<Name extends keyof Operations> = Static<Operations[Name]['input']>
export type ResultOf<Name extends ValueName> = Static<Operations[Name]['result']>

/** Finds an operation by a name from outside. @throws `admin-unknown` when it does not exist */
export function operationNamed(name: unknown): ValueOperation | StreamOperation {
  const table: Readonly<Record<string, ValueOperation | StreamOperation>> = OPERATIONS
  const found = typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined
  if (found !== undefined) return found
  throw new DholeError('admin-unknown', `the server has no operation ${JSON.stringify(name) ?? 'without a name'}`)
}
