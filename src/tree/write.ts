import { DholeError } from '../error.ts'
import { drain, type Steps } from '../scheduling/steps.ts'
import { keysInSteps, rememberKeys } from './json/member-keys.ts'
import {
  type ParsedPayload,
  parsePayload,
  parsePayloadInSteps,
  parseShortPayload,
  type ServerValueUse,
} from './json/payload.ts'
import { checkKey, PRIORITY } from './key.ts'
import { LARGE_NODES, LARGE_TEXT, type Limits } from './limits.ts'
import { checkPath, endsInPriority, type Path } from './path.ts'
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
 * A checked request to change the tree: writes without overlap that become one commit, and the server values to fill in
 * at commit time.
 */
export interface WritePlan {
  /** Kind of the event for listeners: a put of one path, or a patch of several below `path`. */
  readonly kind: 'put' | 'patch'
  readonly path: Path
  readonly writes: readonly Write[]
  readonly serverValues: readonly ServerValueUse[]
  /** The payload as sent, with server values still in it. */
  readonly json: unknown
  /** Number of leaves and branches written. */
  readonly nodes: number
  /** Length of all strings written, in UTF-16 code units. */
  readonly textLength: number
  /** The same plan with every server value filled in. */
  resolve(source: ServerValueSource): Steps<WritePlan>
}

/** Whether a plan is so large that its values are printed in steps. */
export function isLargePlan({ nodes, textLength }: Pick<WritePlan, 'nodes' | 'textLength'>): boolean {
  return nodes > LARGE_NODES || textLength > LARGE_TEXT
}

/** Members of a patch processed between two pauses. */
const STEP_MEMBERS = 256

/**
 * Plans PUT, DELETE (`null`) and, with a generated key at the end of the path, POST.
 * @throws DholeError of the body rows, the priority rows and the limits
 * @see docs/reference/protocol.md#methods
 */
export function planPut(path: Path, json: unknown, limits: Limits): WritePlan {
  return planShortPut(path, json, limits) ?? drain(planPutInSteps(path, json, limits))
}

/** As `planPut`; `undefined` for a value so large that it is planned in steps. */
export function planShortPut(path: Path, json: unknown, limits: Limits): WritePlan | undefined {
  const parsed = parseShortTarget({ path, json }, limits)
  return parsed && putPlan(path, json, limits, parsed)
}

/** As `planPut`, with pauses. */
export function* planPutInSteps(path: Path, json: unknown, limits: Limits): Steps<WritePlan> {
  return putPlan(path, json, limits, yield* parseTargetInSteps({ path, json }, limits))
}

function putPlan(
  path: Path,
  json: unknown,
  limits: Limits,
  { write, serverValues, nodes, textLength }: ParsedTarget,
): WritePlan {
  return {
    kind: 'put',
    path,
    writes: [write],
    serverValues,
    json,
    nodes,
    textLength,
    resolve: function* (source) {
      return yield* planPutInSteps(path, yield* resolveServerValues(json, path, source), limits)
    },
  }
}

/** As `planPatchInSteps`, without pauses. */
export function planPatch(path: Path, json: unknown, limits: Limits): WritePlan {
  return drain(planPatchInSteps(path, json, limits))
}

/**
 * Plans PATCH: each member of the payload is a path below `path`.
 * @throws as `planPut`; `bad-patch` unless `json` is an object, `bad-parameter` when one path covers another
 * @see docs/reference/protocol.md#patch
 */
export function* planPatchInSteps(path: Path, json: unknown, limits: Limits): Steps<WritePlan> {
  if (!isBranch(json) || Array.isArray(json)) throw new DholeError('bad-patch')
  const keys = yield* keysInSteps(json)
  const targets = yield* patchTargets(path, json, keys)
  // Without slashes all members are different children of one node: none contains another.
  if (keys.some((key) => key.includes('/'))) yield* checkOverlap(targets)
  const ordered: readonly [Write[], Write[], Write[]] = [[], [], []]
  const serverValues: ServerValueUse[] = []
  let nodes = 0
  let textLength = 0
  for (const [index, target] of targets.entries()) {
    if (index % STEP_MEMBERS === STEP_MEMBERS - 1) yield
    const parsed = parseShortTarget(target, limits) ?? (yield* parseTargetInSteps(target, limits))
    ordered[rankOf(parsed.write)].push(parsed.write)
    nodes += parsed.nodes
    textLength += parsed.textLength
    for (const use of parsed.serverValues) serverValues.push(use)
  }
  return {
    kind: 'patch',
    path,
    writes: inApplicationOrder(ordered),
    serverValues,
    json,
    nodes,
    textLength,
    resolve: function* (source) {
      const resolved = emptyBranch() as Record<string, unknown>
      for (const [index, { path: place, json: member }] of targets.entries()) {
        if (index % STEP_MEMBERS === STEP_MEMBERS - 1) yield
        resolved[keys[index] as string] = yield* resolveServerValues(member, place, source)
      }
      rememberKeys(resolved, keys)
      return yield* planPatchInSteps(path, resolved, limits)
    },
  }
}

function* patchTargets(path: Path, json: Readonly<Record<string, unknown>>, keys: readonly string[]): Steps<Target[]> {
  const targets: Target[] = []
  for (const key of keys) {
    targets.push({ path: [...path, ...parsePatchKey(key)], json: json[key] })
    if (targets.length % STEP_MEMBERS === 0) yield
  }
  return targets
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

/** A checked member. */
interface ParsedTarget {
  readonly write: Write
  readonly serverValues: readonly ServerValueUse[]
  readonly nodes: number
  readonly textLength: number
}

/** `undefined` for a value so large that it is checked in steps. */
function parseShortTarget(target: Target, limits: Limits): ParsedTarget | undefined {
  const { path, json } = target
  checkPath(path, 'bad-key')
  if (endsInPriority(path)) return parsePriorityTarget(target, limits)
  const parsed = parseShortPayload(json, path, limits)
  return parsed && valueTarget(path, parsed)
}

function* parseTargetInSteps(target: Target, limits: Limits): Steps<ParsedTarget> {
  const { path, json } = target
  checkPath(path, 'bad-key')
  if (endsInPriority(path)) return parsePriorityTarget(target, limits)
  if (!isBranch(json)) return valueTarget(path, parsePayload(json, path, limits))
  return valueTarget(path, yield* parsePayloadInSteps(json, path, limits))
}

function valueTarget(path: Path, { value, serverValues, nodes, textLength }: ParsedPayload): ParsedTarget {
  return { write: { kind: 'value', path, value }, serverValues, nodes, textLength }
}

function parsePriorityTarget({ path, json }: Target, limits: Limits): ParsedTarget {
  const node = path.slice(0, -1)
  if (isBranch(json) && Object.hasOwn(json, SERVER_VALUE)) {
    const parsed: ParsedPayload = parsePayload(json, node, limits)
    const serverValues = parsed.serverValues.map((use) => ({ ...use, path }))
    return { write: { kind: 'priority', path: node, priority: 0 }, serverValues, nodes: 0, textLength: 0 }
  }
  const priority = parsePriority(json)
  // A string priority has the bounds of a leaf.
  if (priority !== undefined) parsePayload(priority, node, limits)
  return { write: { kind: 'priority', path: node, priority }, serverValues: [], nodes: 0, textLength: 0 }
}

/**
 * Deletes come after values: a node that one request empties and fills is never empty, so it keeps its priority. A
 * priority applies to the result of the request, so it comes last.
 */
function inApplicationOrder([values, deletes, priorities]: readonly [Write[], Write[], Write[]]): readonly Write[] {
  return values.concat(deletes, priorities)
}

function rankOf(write: Write): 0 | 1 | 2 {
  if (write.kind === 'priority') return 2
  return write.value === undefined ? 1 : 0
}

/** A node of the trie of written paths. */
interface PlannedPlace {
  isWritten: boolean
  readonly below: Map<string, PlannedPlace>
}

/** @throws `bad-parameter` when one path equals or contains another */
function* checkOverlap(targets: readonly Target[]): Steps<void> {
  const root: PlannedPlace = { isWritten: false, below: new Map() }
  for (const [index, { path }] of targets.entries()) {
    let place = root
    for (const key of path) {
      if (place.isWritten) throw new DholeError('bad-parameter')
      let next = place.below.get(key)
      if (next === undefined) {
        next = { isWritten: false, below: new Map() }
        place.below.set(key, next)
      }
      place = next
    }
    if (place.isWritten || place.below.size > 0) throw new DholeError('bad-parameter')
    place.isWritten = true
    if (index % STEP_MEMBERS === STEP_MEMBERS - 1) yield
  }
}
