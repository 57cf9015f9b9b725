import { DholeError } from '../error.ts'
import type { Steps } from '../scheduling/steps.ts'
import { keysInSteps, rememberKeys } from './json/member-keys.ts'
import { formatPath, type Path } from './path.ts'
import { isBranch, SERVER_VALUE } from './value.ts'

/** Meaning of `{".sv": …}`: the commit time, or the old number plus `by`. @see docs/reference/protocol.md#special-members */
export type ServerValue = { readonly kind: 'timestamp' } | { readonly kind: 'increment'; readonly by: number }

/**
 * @param object has the own member `.sv`
 * @throws `bad-server-value` for an unknown request or a sibling key
 */
export function parseServerValue(object: object): ServerValue {
  const wanted: unknown = Object.values(object)[0]
  if (Object.keys(object).length !== 1) throw new DholeError('bad-server-value')
  if (wanted === 'timestamp') return { kind: 'timestamp' }
  if (isBranch(wanted) && Object.keys(wanted).length === 1) {
    const by: unknown = Object.hasOwn(wanted, 'increment') ? wanted['increment'] : undefined
    if (typeof by === 'number' && Number.isFinite(by)) return { kind: 'increment', by }
  }
  throw new DholeError('bad-server-value')
}

/** Source of the server values of one request: the commit time, and the old numbers of the incremented nodes. */
export interface ServerValueSource {
  /** Milliseconds since 1970, one for the whole request. */
  readonly now: number
  /** Numbers before the write, by the text of their paths. */
  readonly old: ReadonlyMap<string, number>
}

/** Members processed between two pauses. */
const STEP_MEMBERS = 512

/**
 * Replaces every server value of a payload by its value.
 * @param json a payload that `parsePayload` accepts
 * @param path path of the payload
 * @throws `bad-data` when an increment leaves the range of doubles
 */
export function* resolveServerValues(json: unknown, path: Path, source: ServerValueSource): Steps<unknown> {
  return yield* new Resolver(source).resolve(json, path)
}

class Resolver {
  readonly #source: ServerValueSource
  #members = 0

  constructor(source: ServerValueSource) {
    this.#source = source
  }

  *resolve(json: unknown, path: Path): Steps<unknown> {
    if (!isBranch(json)) return json
    if (Array.isArray(json)) return yield* this.#array(json, path)
    if (Object.hasOwn(json, SERVER_VALUE)) return resolve(parseServerValue(json), path, this.#source)
    const resolved = Object.create(null) as Record<string, unknown>
    const keys = yield* keysInSteps(json)
    for (const key of keys) {
      const member: unknown = json[key]
      if (++this.#members % STEP_MEMBERS === 0) yield
      if (!isBranch(member)) resolved[key] = member
      else resolved[key] = yield* this.resolve(member, key === '.value' ? path : [...path, key])
    }
    rememberKeys(resolved, keys)
    return resolved
  }

  *#array(elements: readonly unknown[], path: Path): Steps<unknown[]> {
    const resolved: unknown[] = []
    for (const [index, element] of elements.entries()) {
      if (++this.#members % STEP_MEMBERS === 0) yield
      resolved.push(isBranch(element) ? yield* this.resolve(element, [...path, String(index)]) : element)
    }
    return resolved
  }
}

function resolve(serverValue: ServerValue, path: Path, source: ServerValueSource): number {
  if (serverValue.kind === 'timestamp') return source.now
  const sum = (source.old.get(formatPath(path)) ?? 0) + serverValue.by
  if (!Number.isFinite(sum)) throw new DholeError('bad-data')
  return sum
}
