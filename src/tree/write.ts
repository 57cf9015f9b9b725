import { DholeError } from './error.ts'
import { checkKey, PRIORITY } from './key.ts'
import type { Limits } from './limits.ts'
import { checkPath, covers, endsInPriority, type Path } from './path.ts'
import { type ParsedPayload, parsePayload, type ServerValueUse } from './payload.ts'
import { type Priority, parsePriority } from './priority.ts'
import { resolveServerValues, type ServerValueSource } from './server-value.ts'
import { emptyBranch, isBranch, SERVER_VALUE, type Value } from './value.ts'

/** Replaces the node at a path, or deletes it (`undefined`). */
interface ValueWrite {
  readonly kind: 'value'
  readonly path: Path
  readonly value: Value | undefined
}

/** Sets the priority of the node at a path, or clears it (`undefined`); the value stays. */
interface PriorityWrite {
  readonly kind: 'priority'
  readonly path: Path
  readonly priority: Priority | undefined
}

export type Write = ValueWrite | PriorityWrite

/** One member of a request: JSON for a path. The last key may be `.priority`. */
interface Target {
  readonly path: Path
  readonly json: unknown
}

/**
 * A checked request to change the tree: non-overlapping writes that become one commit, and what is left to fill in
 * at commit time.
 */
export interface WritePlan {
  /** How listeners hear of it: a put of one place, or a patch of several below `path`. */
  readonly kind: 'put' | 'patch'
  readonly path: Path
  readonly writes: readonly Write[]
  readonly serverValues: readonly ServerValueUse[]
  /** The payload as sent, with server values still in it. */
  readonly json: unknown
  /** The same plan with every server value filled in. */
  resolve(source: ServerValueSource): WritePlan
}

/**
 * Plans PUT, DELETE (`null`) and, with a generated key at the end of the path, POST.
 * @throws DholeError of the body rows, the priority rows and the limits
 * @see docs/protocol.md#methods
 */
export function planPut(path: Path, json: unknown, limits: Limits): WritePlan {
  const parsed = parseTarget({ path, json }, limits)
  return {
    kind: 'put',
    path,
    writes: [parsed.write],
    serverValues: parsed.serverValues,
    json,
    resolve: (source) => planPut(path, resolveServerValues(json, path, source), limits),
  }
}

/**
 * Plans PATCH: each member of the payload is a path below `path`.
 * @throws as `planPut`; `bad-patch` unless `json` is an object, `bad-parameter` when one path covers another
 * @see docs/protocol.md#patch
 */
export function planPatch(path: Path, json: unknown, limits: Limits): WritePlan {
  if (!isBranch(json) || Array.isArray(json)) throw new DholeError('bad-patch')
  const members = Object.entries(json as object)
  const targets = members.map(([key, member]) => ({ path: [...path, ...parsePatchKey(key)], json: member as unknown }))
  // Children of one node, each named once, as most of many members are, never cover each other.
  if (members.some(([key]) => key.includes('/'))) checkOverlap(targets.map((target) => target.path))
  const parsed = targets.map((target) => parseTarget(target, limits))
  return {
    kind: 'patch',
    path,
    writes: inApplicationOrder(parsed.map((target) => target.write)),
    serverValues: parsed.flatMap((target) => target.serverValues),
    json,
    resolve: (source) => {
      const resolved = emptyBranch() as Record<string, unknown>
      for (const [index, [key, member]] of members.entries()) {
        resolved[key] = resolveServerValues(member, targets[index]?.path ?? path, source)
      }
      return planPatch(path, resolved, limits)
    },
  }
}

function parsePatchKey(key: string): Path {
  if (!key.includes('/')) return [checkedMember(key)]
  const keys = key.split('/').filter((part) => part !== '')
  if (keys.length === 0) throw new DholeError('empty-key')
  for (const part of endsInPriority(keys) ? keys.slice(0, -1) : keys) checkKey(part, 'bad-key')
  return keys
}

function checkedMember(key: string): string {
  if (key === '') throw new DholeError('empty-key')
  if (key !== PRIORITY) checkKey(key, 'bad-key')
  return key
}

function parseTarget(target: Target, limits: Limits): { write: Write; serverValues: readonly ServerValueUse[] } {
  checkPath(target.path, 'bad-key')
  if (endsInPriority(target.path)) return parsePriorityTarget(target, limits)
  const parsed = parsePayload(target.json, target.path, limits)
  return { write: { kind: 'value', path: target.path, value: parsed.value }, serverValues: parsed.serverValues }
}

function parsePriorityTarget(
  { path, json }: Target,
  limits: Limits,
): { write: PriorityWrite; serverValues: readonly ServerValueUse[] } {
  const node = path.slice(0, -1)
  if (isBranch(json) && Object.hasOwn(json, SERVER_VALUE)) {
    const parsed: ParsedPayload = parsePayload(json, node, limits)
    const serverValues = parsed.serverValues.map((use) => ({ ...use, path }))
    return { write: { kind: 'priority', path: node, priority: 0 }, serverValues }
  }
  const priority = parsePriority(json)
  // A text has the bounds of a leaf.
  if (priority !== undefined) parsePayload(priority, node, limits)
  return { write: { kind: 'priority', path: node, priority }, serverValues: [] }
}

/**
 * Deletes come after what is set: a node that the same request empties and fills again never was empty, so it keeps
 * its priority. A priority belongs to what the request leaves behind, so it comes last.
 */
function inApplicationOrder(writes: readonly Write[]): Write[] {
  return [0, 1, 2].flatMap((wanted) => writes.filter((write) => rank(write) === wanted))
}

function rank(write: Write): number {
  if (write.kind === 'priority') return 2
  return write.value === undefined ? 1 : 0
}

/** Sorted by their text, a path stands right before the first one it covers. */
function checkOverlap(paths: readonly Path[]): void {
  const sorted = paths
    .map((path) => ({ path, text: `${path.join('\u0000')}\u0000` }))
    .sort((left, right) => (left.text < right.text ? -1 : 1))
  for (let index = 1; index < sorted.length; index++) {
    const [upper, lower] = [sorted[index - 1], sorted[index]]
    if (upper && lower && covers(upper.path, lower.path)) throw new DholeError('bad-parameter')
  }
}
