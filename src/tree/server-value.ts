import { DholeError } from './error.ts'
import { formatPath, type Path } from './path.ts'
import { isBranch, SERVER_VALUE } from './value.ts'

/** What `{".sv": …}` asks for: the commit time, or the old number plus `by`. @see docs/protocol.md#special-members */
export type ServerValue = { readonly kind: 'timestamp' } | { readonly kind: 'increment'; readonly by: number }

/**
 * @param object has the own member `.sv`
 * @throws `bad-server-value` for an unknown request or a sibling key
 */
export function parseServerValue(object: object): ServerValue {
  const members = Object.entries(object)
  const wanted: unknown = members[0]?.[1]
  if (members.length !== 1) throw new DholeError('bad-server-value')
  if (wanted === 'timestamp') return { kind: 'timestamp' }
  if (isBranch(wanted) && Object.keys(wanted).length === 1) {
    const by: unknown = Object.hasOwn(wanted, 'increment') ? wanted['increment'] : undefined
    if (typeof by === 'number' && Number.isFinite(by)) return { kind: 'increment', by }
  }
  throw new DholeError('bad-server-value')
}

/** What the server values of one request come to: the commit time, and the old numbers of the incremented places. */
export interface ServerValueSource {
  /** Milliseconds since 1970, one for the whole request. */
  readonly now: number
  /** The number standing at that place before the write, if one does; keyed by `formatPath`. */
  readonly old: ReadonlyMap<string, number>
}

/**
 * The payload with every server value replaced by what it comes to.
 * @param json a payload that has passed `parsePayload`
 * @param path where it stands
 * @throws `bad-data` when an increment leaves the range of doubles
 */
export function resolveServerValues(json: unknown, path: Path, source: ServerValueSource): unknown {
  if (Array.isArray(json)) {
    return json.map((element, index) => resolveServerValues(element, [...path, String(index)], source))
  }
  if (!isBranch(json)) return json
  if (Object.hasOwn(json, SERVER_VALUE)) return resolve(parseServerValue(json), path, source)
  const resolved = Object.create(null) as Record<string, unknown>
  for (const [key, member] of Object.entries(json)) {
    resolved[key] = resolveServerValues(member, key === '.value' ? path : [...path, key], source)
  }
  return resolved
}

function resolve(serverValue: ServerValue, path: Path, source: ServerValueSource): number {
  if (serverValue.kind === 'timestamp') return source.now
  const sum = (source.old.get(formatPath(path)) ?? 0) + serverValue.by
  if (!Number.isFinite(sum)) throw new DholeError('bad-data')
  return sum
}
