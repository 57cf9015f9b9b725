import { mayRead, WriteAuthorization } from '../../../src/rules/decision/authorize.ts'
import type { Decision } from '../../../src/rules/decision/decision.ts'
import { mayWriteSome, type Reach } from '../../../src/rules/decision/may-write-some.ts'
import type { Chance } from '../../../src/rules/decision/outcomes.ts'
import type { QueryFacts, RequestContext } from '../../../src/rules/expression/request-context.ts'
import { parseRules, type RuleSet } from '../../../src/rules/file/rule-set.ts'
import { PRIORITY } from '../../../src/tree/key.ts'
import { endsInPriority, type Path } from '../../../src/tree/path.ts'
import type { ReadAnswer, ReadRequest, Reads } from '../../../src/tree/read-program.ts'
import { isBranch, leafOf, ownMember, type Value, valueAt } from '../../../src/tree/value.ts'
import type { Write } from '../../../src/tree/write.ts'

/** What one run of rules asked for. */
export interface Run<T> {
  readonly result: T
  readonly reads: number
  readonly pauses: number
}

/** Answers reads from a plain tree until the logic ends. */
function drive<T>(logic: Reads<T>, tree: Value | undefined): Run<T> {
  let reads = 0
  let pauses = 0
  let step = logic.next(undefined)
  while (step.done !== true) {
    if (step.value.kind === 'pause') pauses++
    else reads++
    step = logic.next(answer(step.value, tree))
  }
  return { result: step.value, reads, pauses }
}

function answer(request: ReadRequest, tree: Value | undefined): ReadAnswer {
  switch (request.kind) {
    case 'leaf':
      return endsInPriority(request.path) ? priorityAt(tree, request.path.slice(0, -1)) : leafAt(tree, request.path)
    case 'exists':
      return nodeAt(tree, request.path) !== undefined
    case 'count':
      return childKeys(nodeAt(tree, request.path)).length
    case 'pause':
      return undefined
    default:
      throw new Error(`Rules have no use for ${request.kind}`)
  }
}

function nodeAt(tree: Value | undefined, path: Path): Value | undefined {
  if (tree === undefined) return undefined
  if (path.some((key) => key.startsWith('.'))) throw new Error(`${path.join('/')} is no path of a node`)
  return valueAt(tree, path)
}

function leafAt(tree: Value | undefined, path: Path): ReadAnswer {
  const node = nodeAt(tree, path)
  return node === undefined ? undefined : leafOf(node)
}

function priorityAt(tree: Value | undefined, path: Path): ReadAnswer {
  const node = nodeAt(tree, path)
  return isBranch(node) ? (ownMember(node, PRIORITY) as string | number | undefined) : undefined
}

function childKeys(node: Value | undefined): string[] {
  return isBranch(node) ? Object.keys(node).filter((key) => !key.startsWith('.')) : []
}

/** One request, as rows of tables have it. */
export interface Request {
  readonly before?: Value | undefined
  readonly auth?: RequestContext['auth']
  readonly now?: number
  readonly read?: string
  readonly query?: Partial<QueryFacts>
  readonly writes?: Readonly<Record<string, Value | null>>
}

/** What a request may do, and what the rules said. */
export function judge(rules: RuleSet | string, request: Request): Decision & Run<unknown> {
  const set = typeof rules === 'string' ? parseRules(rules) : rules
  const context = contextOf(request)
  if (request.read !== undefined) {
    const run = drive(mayRead(set, pathOf(request.read), context, { trace: true }), request.before)
    return { ...run, ...run.result }
  }
  const judged = new WriteAuthorization(set, writesOf(request.writes ?? {}), context, { trace: true })
  const may = drive(judged.mayWrite(), request.before)
  if (!may.result.allowed) return { ...may, ...may.result }
  const valid = drive(judged.isValid(), request.before)
  const trace = [...may.result.trace, ...valid.result.trace]
  const [first, second] = [may.result.dependsOn, valid.result.dependsOn]
  return {
    ...valid,
    ...valid.result,
    dependsOn: { time: first.time || second.time, paths: [...first.paths, ...second.paths] },
    trace,
    reads: may.reads + valid.reads,
    pauses: may.pauses + valid.pauses,
  }
}

/** What is known of the permission of a write before its payload is read. */
export function chanceOf(rules: RuleSet, where: string, reach: Reach, request: Request): Chance {
  return drive(mayWriteSome(rules, pathOf(where), reach, contextOf(request)), request.before).result.chance
}

function contextOf({ auth = null, now = 1000, query }: Request): RequestContext {
  if (query === undefined) return { auth, now }
  return { auth, now, query: { ...PLAIN_QUERY, ...query } }
}

const PLAIN_QUERY: QueryFacts = {
  orderByKey: false,
  orderByValue: false,
  orderByPriority: false,
  orderByChild: null,
  startAt: null,
  endAt: null,
  equalTo: null,
  limitToFirst: null,
  limitToLast: null,
}

/** @param writes by path; a last `.priority` sets a priority, null deletes */
function writesOf(writes: Readonly<Record<string, Value | null>>): Write[] {
  return Object.entries(writes).map(([text, value]) => {
    const path = pathOf(text)
    if (!endsInPriority(path)) return { kind: 'value', path, value: value ?? undefined }
    return { kind: 'priority', path: path.slice(0, -1), priority: (value as string | number | null) ?? undefined }
  })
}

export function pathOf(text: string): Path {
  return text.split('/').filter((key) => key !== '')
}
