import type { AdminCaller, AdminTarget, StreamOperation, ValueOperation } from './operation.ts'
import { OPERATIONS } from './operations.ts'

/** Who may call an operation over HTTPS. */
type OfferedAccess = Exclude<ValueOperation['access'], 'local'>

interface OfferedValue extends Omit<ValueOperation, 'access' | 'run'> {
  readonly access: OfferedAccess
  run(input: unknown, caller: AdminCaller): ReturnType<ValueOperation['run']>
}

interface OfferedStream extends Omit<StreamOperation, 'access' | 'run'> {
  readonly access: OfferedAccess
  run(input: unknown, caller: AdminCaller): ReturnType<StreamOperation['run']>
}

/** The operations that HTTPS offers, by name, on a target. */
export function offeredOperations(target: AdminTarget): ReadonlyMap<string, OfferedValue | OfferedStream> {
  const offered = new Map<string, OfferedValue | OfferedStream>()
  const table: Readonly<Record<string, ValueOperation | StreamOperation>> = OPERATIONS
  for (const [name, operation] of Object.entries(table)) {
    const { access } = operation
    if (access === 'local') continue
    if (operation.kind === 'value') {
      offered.set(name, { ...operation, access, run: (input, caller) => operation.run(target, input, caller) })
    } else {
      offered.set(name, { ...operation, access, run: (input, caller) => operation.run(target, input, caller) })
    }
  }
  return offered
}
