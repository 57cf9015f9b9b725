import { endsInPriority, type Path } from '../tree/path.ts'
import type { Reads } from '../tree/read-request.ts'
import type { Write } from '../tree/write.ts'
import { AfterState } from './after-state.ts'
import { Court } from './court.ts'
import { childRules, type RuleNode } from './rule-node.ts'
import type { RuleSet } from './rule-set.ts'
import { Validation } from './validation.ts'
import type { Visit } from './visit.ts'
import { type WritePlace, writeTree } from './write-tree.ts'

export type { QueryFacts, Visit } from './visit.ts'

export interface Verdict {
  readonly allowed: boolean
  /** Whether it holds as long as the rules do: neither data nor time were looked at. */
  readonly fixed: boolean
  /** A line for each rule that was looked at; empty unless asked for. */
  readonly trace: readonly string[]
}

export interface AuthorizeOptions {
  readonly trace?: boolean | undefined
}

/**
 * Whether a node may be read: some `.read` from the root down to it is true.
 * @param path of the node, also when it is queried
 * @see docs/protocol.md#rules
 */
export function* mayRead(rules: RuleSet, path: Path, visit: Visit, options: AuthorizeOptions = {}): Reads<Verdict> {
  const court = new Court(visit, undefined, options.trace === true)
  const node = endsInPriority(path) ? path.slice(0, -1) : path
  for (const { read } of rulesAlong(rules.root, node)) {
    if (read === undefined) continue
    if (yield* court.ask(read, node)) return { allowed: true, fixed: !court.lastHasLooked, trace: court.trace.lines }
  }
  court.conclude(node, '.read')
  return { allowed: false, fixed: !court.hasLooked, trace: court.trace.lines }
}

function* rulesAlong(root: RuleNode, path: Path): Generator<RuleNode> {
  let rules: RuleNode | undefined = root
  for (let depth = 0; rules !== undefined; depth++) {
    yield rules
    const key = path[depth]
    rules = key === undefined ? undefined : childRules(rules, key)
  }
}

/**
 * Whether all of the places may be written: for each, some `.write` from the root down to it is true.
 * @param writes not overlapping; the reads see the tree before them
 * @see docs/protocol.md#rules
 */
export function* mayWrite(
  rules: RuleSet,
  writes: readonly Write[],
  visit: Visit,
  options: AuthorizeOptions = {},
): Reads<Verdict> {
  const root = writeTree(writes)
  const court = new Court(visit, new AfterState(root), options.trace === true)
  const allowed = yield* mayWriteAt(court, root, rules.root, [])
  return { allowed, fixed: !court.hasLooked, trace: court.trace.lines }
}

/** Every rule on the way to several places is asked once. */
function* mayWriteAt(court: Court, place: WritePlace, rules: RuleNode | undefined, path: Path): Reads<boolean> {
  if (rules?.write !== undefined && (yield* court.ask(rules.write, path))) return true
  if (
    place.replaced !== undefined ||
    place.prioritized !== undefined ||
    (rules === undefined && place.children.size > 0)
  ) {
    court.conclude(path, '.write')
    return false
  }
  for (const [key, child] of place.children) {
    if (court.isPauseDue()) yield { kind: 'pause' }
    if (!(yield* mayWriteAt(court, child, rules && childRules(rules, key), [...path, key]))) return false
  }
  return true
}

/**
 * Whether what the writes leave behind is valid: every `.validate` on the way to a place that is written, at it and
 * below it, whose node is there afterwards, is true.
 * @param writes as for `mayWrite`
 * @see docs/protocol.md#rules
 */
export function* isValid(
  rules: RuleSet,
  writes: readonly Write[],
  visit: Visit,
  options: AuthorizeOptions = {},
): Reads<Verdict> {
  const root = writeTree(writes)
  const after = new AfterState(root)
  const court = new Court(visit, after, options.trace === true)
  const allowed = yield* new Validation(court, after).isValid(root, rules.root, [])
  return { allowed, fixed: !court.hasLooked, trace: court.trace.lines }
}
