import { ALONG_STEPS, INTERIOR, SLOT } from '../../slot-steps.ts'

/**
 * Statements that read the tree. The first parameter is the number of the tree. Each follows primary keys, and returns a
 * bounded number of rows. A lateral subquery with a LIMIT keeps the planner from any other way.
 * @see docs/explanation/postgres.md
 */

/** Surrounds the id, number of children and traits of an interior child in an assembled text; no JSON text contains it. */
export const ID_MARK = '\u0002'
/** Surrounds a key that is not printed as it is stored. */
export const KEY_MARK = '\u0003'

const HEAD =
  '(SELECT l.batch::float8 AS batch, l.last_seq::float8 AS seq FROM log l WHERE l.tree = $1::int ' +
  'ORDER BY l.batch DESC LIMIT 1) h'

/** How the slots along paths are found, and the numbers of the parameters behind those of the steps. */
interface Steps {
  readonly found: string
  readonly target: number
}

/** Along many paths. Parameters: columns of the steps, which are a trie. */
const TRIE: Steps = {
  found: ALONG_STEPS,
  target: 6,
}

/** Along one path, which costs PostgreSQL less. Parameters: the interior node above the first key, and the keys. */
const PATH: Steps = {
  found:
    `w AS (SELECT 0 AS n, ${SLOT} AND c.parent_id = $2::bigint AND c.key = ($3::text[])[1] ` +
    `UNION ALL SELECT w.n + 1, c.kind, c.value, c.id FROM w CROSS JOIN LATERAL (SELECT ${SLOT} ` +
    'AND c.parent_id = w.id AND c.key = ($3::text[])[w.n + 2] LIMIT 1) c)',
  target: 4,
}

/**
 * The last batch, and the slots along many paths. Parameters: those of the steps, number of the step whose text may be
 * left out (-1 for none), greatest length of that text in bytes (null for any), and whether this is for texts of all kinds
 * or of strings alone.
 */
export const WALK = walk(TRIE)
/** As `WALK`, along one path. */
export const WALK_PATH = walk(PATH)

/** As `WALK`, with the complete index over the children of that step. One parameter more: name of the index. */
export const WALK_LIST = walk(TRIE, true)
/** As `WALK_LIST`, along one path. */
export const WALK_PATH_LIST = walk(PATH, true)

function walk({ found, target }: Steps, isList = false): string {
  const columns = isList ? ', d.id::float8 AS "indexId", d.has_cut AS "hasCut", d.covering' : ''
  const joined = isList
    ? 'LEFT JOIN LATERAL (SELECT d.id, d.has_cut, d.covering FROM index_definition d WHERE d.tree = $1::int AND d.list_id = w.id ' +
      `AND d.path = $${target + 3}::text AND d.built_to IS NULL AND w.n = $${target}::int LIMIT 1) d ON true`
    : ''
  return (
    `WITH RECURSIVE ${found} SELECT h.batch, h.seq, f.* FROM ${HEAD} LEFT JOIN (SELECT w.n, w.kind::int AS kind, ` +
    `CASE WHEN w.n = $${target}::int AND octet_length(w.value) > $${target + 1}::bigint ` +
    `AND ($${target + 2}::boolean OR w.kind = 4) THEN NULL ELSE w.value END AS value, w.id::float8 AS id, ` +
    `i.child_count AS children, i.traits${columns} FROM w ${INTERIOR} ${joined}) f ON true`
  )
}

/** The text of a member in an assembled text. */
const MEMBER = `coalesce(m.value, chr(2) || m.id || ' ' || i.child_count || ' ' || i.traits || chr(2))`
const CHILD_INTERIOR =
  'LEFT JOIN LATERAL (SELECT i.child_count, i.traits FROM interior i WHERE i.tree = $1::int AND i.id = m.id LIMIT 1) i ON true'

/**
 * The members of interior nodes as one text each, with marks where JavaScript must fill in. Parameters: ids, and whether
 * keys are marked.
 */
export const FAMILIES =
  'SELECT p.n::int AS n, t.rows::int AS rows, t.text FROM unnest($2::bigint[], $3::boolean[]) WITH ORDINALITY AS p(id, careful, n) ' +
  `CROSS JOIN LATERAL (SELECT count(*) AS rows, string_agg(CASE WHEN p.careful THEN chr(3) || m.key || chr(3) || ':' ` +
  `ELSE '"' || m.key || '":' END || ${MEMBER}, ',') AS text FROM ` +
  '(SELECT c.key, c.value, c.id FROM node c WHERE c.tree = $1::int AND c.parent_id = p.id ORDER BY c.key) m ' +
  `${CHILD_INTERIOR}) t`

/**
 * Some members of one interior node as a text. Parameters: id, whether keys are marked, key to begin after, most rows, and
 * length in bytes that ends the page.
 */
export const FAMILY_PAGE =
  'SELECT count(*)::int AS rows, max(m.found)::int AS found, max(m.key) AS last, ' +
  `string_agg(CASE WHEN $3::boolean THEN chr(3) || m.key || chr(3) || ':' ELSE '"' || m.key || '":' END || ${MEMBER}, ',') AS text ` +
  'FROM (SELECT q.key, q.value, q.id, q.found FROM (SELECT p.key, p.value, p.id, count(*) OVER () AS found, ' +
  'coalesce(sum(octet_length(p.value)) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS above FROM ' +
  '(SELECT c.key, c.value, c.id FROM node c WHERE c.tree = $1::int AND c.parent_id = $2::bigint AND c.key > $4::text ' +
  `ORDER BY c.key LIMIT $5::int) p) q WHERE q.above < $6::bigint) m ${CHILD_INTERIOR}`

/** Keys of an interior node as one text. Parameters: id, key to begin after, most rows. */
export const KEYS =
  'SELECT count(*)::int AS rows, max(p.key) AS last, string_agg(p.key, chr(2)) AS keys FROM ' +
  '(SELECT c.key FROM node c WHERE c.tree = $1::int AND c.parent_id = $2::bigint AND c.key > $3::text ' +
  'ORDER BY c.key LIMIT $4::int) p'

/** Rows at and below an interior node. Parameters: id, greatest id of the page before, most interior nodes. */
export const SIZE =
  'SELECT count(*)::int AS count, max(p.descendant)::float8 AS last, coalesce(sum(i.child_count), 0)::float8 AS rows FROM ' +
  '(SELECT c.descendant FROM closure c WHERE c.tree = $1::int AND c.ancestor = $2::bigint AND c.descendant > $3::bigint ' +
  'ORDER BY c.descendant LIMIT $4::int) p CROSS JOIN LATERAL ' +
  '(SELECT i.child_count FROM interior i WHERE i.tree = $1::int AND i.id = p.descendant LIMIT 1) i'

/**
 * Children of interior nodes in key order, one node after the other, as far as a page goes. Parameters: ids, key to begin
 * after in each, most rows of each, and length in bytes that ends the page.
 */
export const CHILD_ROWS =
  'SELECT q.n::int AS n, q.key, q.value, q.id::float8 AS id, q.found::int AS found FROM (SELECT p.n, c.key, c.value, c.id, ' +
  'count(*) OVER () AS found, ' +
  'coalesce(sum(octet_length(c.value)) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS above ' +
  'FROM unnest($2::bigint[]) WITH ORDINALITY AS p(id, n) CROSS JOIN LATERAL (SELECT c.key, c.value, c.id FROM node c ' +
  'WHERE c.tree = $1::int AND c.parent_id = p.id AND c.key > $3::text ORDER BY c.key LIMIT $4::int) c) q ' +
  'WHERE q.above < $5::bigint'
