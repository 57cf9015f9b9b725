import type { ClientsTaken } from '../admin/operations/monitor-schemas.ts'
import { type CheckResult, ok, warning } from './check-result.ts'

/** Share of a limit from which it is near. */
const NEAR = 0.8
/** Connections that were cut off, and their share of all that have ended, from which they are many. */
const MANY = 100
const MANY_SHARE = 0.05

interface Limit {
  readonly what: string
  readonly of: ClientsTaken['streams']
  readonly setting: string
}

/** Checks what clients take of a running server. */
export function* checkClients({
  streams,
  connections,
  memoryBytes,
  ended,
}: ClientsTaken): Generator<CheckResult, void> {
  const limits: readonly Limit[] = [
    { what: 'event streams', of: streams, setting: 'MAX_STREAMS' },
    { what: 'connections of SDKs', of: connections, setting: 'MAX_SOCKETS' },
    { what: 'bytes of memory', of: memoryBytes, setting: 'MAX_TRANSFER_BYTES' },
  ]
  const found = [...limits.flatMap(nearLimit), ...abortedConnections(ended)]
  if (found.length > 0) yield* found
  else yield ok('clients', `they have ${streams.taken} event streams and ${connections.taken} connections of SDKs open`)
}

function nearLimit({ what, of: { taken, most }, setting }: Limit): CheckResult[] {
  if (most === 0 || taken < most * NEAR) return []
  return [warning('clients', `they take ${taken} of ${most} ${what}`, `look who takes them, or set ${setting} higher`)]
}

function abortedConnections(ended: ClientsTaken['ended']): CheckResult[] {
  const all = Object.values(ended).reduce((sum, count) => sum + count, 0)
  const slow = (ended['too-slow'] ?? 0) + (ended['too-much'] ?? 0)
  if (slow < MANY || slow < all * MANY_SHARE) return []
  const what = `${slow} of ${all} connections of SDKs that have ended were cut off: they did not read, or sent too much`
  return [warning('clients', what, 'the log has their addresses')]
}
