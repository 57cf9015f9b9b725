import { keyOf } from '../../../tree/order.ts'
import { neededTraitsOf, SlotKind } from '../../rows/slot.ts'
import type { Parameter, Statements } from '../connection/lane.ts'

/** Something wrong with the rows of a tree. */
export interface TreeProblem {
  readonly problem: string
  /** The row. */
  readonly row: string
}

/** Interior nodes and rows of other tables looked at with one statement. */
const INTERIORS = 200
const ROWS = 2000
/** Text of slots read with one statement, in bytes; one slot more is read. */
const SLOT_BYTES = 4 * 1024 * 1024

/** Interior nodes of detached subtrees: their rows are removed in steps and need not be consistent. */
const GONE = `WITH RECURSIVE gone(id) AS (SELECT id FROM detached WHERE tree = $1::int UNION
  SELECT n.id FROM gone g JOIN node n ON n.tree = $1::int AND n.parent_id = g.id WHERE n.id IS NOT NULL)
SELECT id::float8 AS id FROM gone`

const INTERIOR_PAGE = `SELECT i.id::float8 AS id, i.child_count AS count, i.key,
  EXISTS (SELECT FROM node n WHERE n.tree = $1::int AND n.parent_id = i.parent_id AND n.key = i.key AND n.id = i.id
    AND n.kind = ${SlotKind.interior}) AS "hasSlot",
  EXISTS (SELECT FROM closure c WHERE c.tree = $1::int AND c.ancestor = i.id AND c.descendant = i.id AND c.depth = 0) AS "hasSelf",
  EXISTS (SELECT FROM closure p WHERE p.tree = $1::int AND p.descendant = i.parent_id AND i.parent_id > 0 AND NOT EXISTS (
    SELECT FROM closure c WHERE c.tree = $1::int AND c.ancestor = p.ancestor AND c.descendant = i.id
    AND c.depth = p.depth + 1)) AS "lacksClosure",
  (SELECT count(*)::int FROM node n WHERE n.tree = $1::int AND n.parent_id = i.id AND n.key <> '.priority') AS children
FROM (SELECT * FROM interior WHERE tree = $1::int AND id > $2::bigint ORDER BY id LIMIT ${INTERIORS}) i ORDER BY i.id`

const NODE_PAGE = `SELECT n.parent_id::float8 AS "parentId", n.key, n.kind::int AS kind, n.value, n.id::float8 AS id, p.traits,
  n.id IS NULL OR EXISTS (SELECT FROM interior i WHERE i.tree = $1::int AND i.id = n.id AND i.parent_id = n.parent_id
    AND i.key = n.key) AS "leadsOn"
FROM (SELECT o.*, coalesce(sum(octet_length(o.value)) OVER (ORDER BY o.parent_id, o.key ROWS BETWEEN UNBOUNDED PRECEDING
    AND 1 PRECEDING), 0) AS "bytesBefore"
  FROM (SELECT * FROM node WHERE tree = $1::int AND (parent_id, key) > ($2::bigint, $3::text)
    ORDER BY parent_id, key LIMIT ${ROWS}) o) n
LEFT JOIN interior p ON p.tree = $1::int AND p.id = n.parent_id WHERE n."bytesBefore" < ${SLOT_BYTES} ORDER BY n.parent_id, n.key`

const CLOSURE_PAGE = `SELECT c.ancestor::float8 AS ancestor, c.descendant::float8 AS descendant, coalesce(CASE c.depth
  WHEN 0 THEN c.ancestor = c.descendant AND i.id IS NOT NULL
  ELSE i.parent_id > 0 AND EXISTS (SELECT FROM closure p WHERE p.tree = $1::int AND p.ancestor = c.ancestor
    AND p.descendant = i.parent_id AND p.depth = c.depth - 1) END, false) AS "hasMeaning"
FROM (SELECT * FROM closure WHERE tree = $1::int AND (ancestor, descendant) > ($2::bigint, $3::bigint)
  ORDER BY ancestor, descendant LIMIT ${ROWS}) c
LEFT JOIN interior i ON i.tree = $1::int AND i.id = c.descendant ORDER BY c.ancestor, c.descendant`

const LOG_GAPS = `SELECT batch::float8 AS batch FROM (SELECT batch, first_seq, lag(batch) OVER w AS before,
  lag(last_seq) OVER w AS seq FROM log WHERE tree = $1::int WINDOW w AS (ORDER BY batch)) l
WHERE batch <> before + 1 OR first_seq <> seq + 1 ORDER BY batch LIMIT 10`

/** Values of sessions that have none. */
const LOST_VALUES = `SELECT v.session, v.position FROM session_value v WHERE v.tree = $1::int AND NOT EXISTS
  (SELECT FROM session s WHERE s.tree = v.tree AND s.session = v.session) ORDER BY v.session, v.position LIMIT 10`

interface InteriorRow {
  readonly id: number
  readonly key: string
  readonly count: number
  readonly children: number
  readonly hasSlot: boolean
  readonly hasSelf: boolean
  readonly lacksClosure: boolean
}

interface NodeRow {
  readonly parentId: number
  readonly key: string
  readonly kind: number
  readonly value: string | null
  readonly id: number | null
  /** Of the interior node above; `null` without one. */
  readonly traits: number | null
  readonly leadsOn: boolean
}

interface ClosureRow {
  readonly ancestor: number
  readonly descendant: number
  readonly hasMeaning: boolean
}

/**
 * Finds inconsistencies of slots, interior nodes, closure, log and sessions, in pages of bounded size. All statements must see the
 * same snapshot. @see docs/explanation/postgres.md#schema
 */
export async function* treeProblems(statements: Statements, tree: number): AsyncGenerator<TreeProblem, void> {
  const gone = new Set((await statements.query<{ id: number }>(GONE, [tree])).map(({ id }) => id))
  const interiors = pages<InteriorRow>(statements, INTERIOR_PAGE, INTERIORS, [tree, -1], ({ id }) => [tree, id])
  for await (const row of interiors) if (!gone.has(row.id)) yield* found(problemsOfInterior(row), row)
  const slots = pages<NodeRow>(statements, NODE_PAGE, 1, [tree, -1, ''], ({ parentId, key }) => [tree, parentId, key])
  for await (const row of slots) {
    if (gone.has(row.parentId)) continue
    const { parentId, key, kind, id } = row
    yield* found(problemsOfSlot(row), { parentId, key, kind, id })
  }
  const closure = pages<ClosureRow>(statements, CLOSURE_PAGE, ROWS, [tree, -1, -1], (row) => [
    tree,
    row.ancestor,
    row.descendant,
  ])
  for await (const row of closure) {
    if (!row.hasMeaning && !gone.has(row.descendant)) yield* found(['a closure row has no meaning'], row)
  }
  for (const row of await statements.query<{ batch: number }>(LOG_GAPS, [tree]))
    yield* found(['the log has a gap'], row)
  for (const row of await statements.query<{ session: string; position: number }>(LOST_VALUES, [tree]))
    yield* found(['a value of a session has none'], row)
}

/**
 * The rows of a statement, page by page.
 * @param least rows of a page that is not the last one
 * @param after parameters of the page behind a row
 */
async function* pages<R extends object>(
  statements: Statements,
  text: string,
  least: number,
  first: readonly Parameter[],
  after: (row: R) => readonly Parameter[],
): AsyncGenerator<R, void> {
  for (let parameters: readonly Parameter[] | undefined = first; parameters !== undefined; ) {
    const rows: readonly R[] = await statements.query<R>(text, parameters)
    yield* rows
    const last = rows.at(-1)
    parameters = rows.length < least || last === undefined ? undefined : after(last)
  }
}

function* found(problems: Iterable<string>, row: object): Generator<TreeProblem, void> {
  for (const problem of problems) yield { problem, row: JSON.stringify(row) }
}

function* problemsOfInterior({
  hasSlot,
  hasSelf,
  lacksClosure,
  count,
  children,
}: InteriorRow): Generator<string, void> {
  if (!hasSlot) yield 'an interior node has no slot'
  if (!hasSelf) yield 'an interior node lacks its own closure row'
  if (lacksClosure) yield 'a closure row is missing'
  if (count !== children || count < 1) yield 'a number of children is wrong'
}

function* problemsOfSlot({ parentId, key, kind, value, id, traits, leadsOn }: NodeRow): Generator<string, void> {
  if (!leadsOn) yield 'a slot leads to no interior node'
  if (!fits(kind, value, id)) yield 'kind, value and id of a slot do not fit'
  if (parentId === 0) {
    if (key !== '') yield 'there is a second root'
  } else if (traits === null) yield 'a slot has no parent'
  else {
    const needed = neededTraitsOf(keyOf(key), value ?? undefined)
    if ((traits & needed) !== needed) yield 'traits do not tell of a child'
  }
}

function fits(kind: number, value: string | null, id: number | null): boolean {
  if (kind === SlotKind.interior) return value === null && id !== null
  if (value === null || id !== null) return false
  try {
    return kindOf(JSON.parse(value)) === kind
  } catch {
    return false
  }
}

function kindOf(value: unknown): number | undefined {
  if (typeof value === 'boolean') return value ? SlotKind.true : SlotKind.false
  if (typeof value === 'number') return SlotKind.number
  if (typeof value === 'string') return SlotKind.string
  return value === null ? undefined : SlotKind.inline
}
