import type { Statements } from '../connection/lane.ts'

/** Most rows told of one problem. */
const MOST = 3

/** Queries that find rows of a tree that contradict each other; none of them is detached. Parameter: number of the tree. */
const VIOLATIONS: readonly (readonly [problem: string, query: string])[] = [
  [
    'an interior node has no slot',
    'SELECT i.id FROM interior i LEFT JOIN node n ON n.tree = $1::int AND n.parent_id = i.parent_id AND n.key = i.key ' +
      'AND n.id = i.id AND n.kind = 5 WHERE i.tree = $1::int AND n.id IS NULL',
  ],
  [
    'a slot leads to no interior node',
    'SELECT n.parent_id, n.key FROM node n LEFT JOIN interior i ON i.tree = $1::int AND i.id = n.id ' +
      'AND i.parent_id = n.parent_id AND i.key = n.key WHERE n.tree = $1::int AND n.id IS NOT NULL AND i.id IS NULL',
  ],
  [
    'a number of children is wrong',
    'SELECT i.id FROM interior i LEFT JOIN (SELECT n.parent_id, count(*) AS children FROM node n WHERE n.tree = $1::int ' +
      "AND n.key <> '.priority' GROUP BY n.parent_id) c ON c.parent_id = i.id " +
      'WHERE i.tree = $1::int AND i.child_count IS DISTINCT FROM coalesce(c.children, 0)',
  ],
  [
    'a slot has no parent',
    'SELECT n.parent_id, n.key FROM node n LEFT JOIN interior i ON i.tree = $1::int AND i.id = n.parent_id ' +
      'WHERE n.tree = $1::int AND n.parent_id <> 0 AND i.id IS NULL',
  ],
  [
    'an interior node lacks its own closure row',
    'SELECT i.id FROM interior i LEFT JOIN closure c ON c.tree = $1::int AND c.ancestor = i.id AND c.descendant = i.id ' +
      'AND c.depth = 0 WHERE i.tree = $1::int AND c.depth IS NULL',
  ],
  [
    'a closure row is missing',
    'SELECT i.id FROM interior i JOIN closure p ON p.tree = $1::int AND p.descendant = i.parent_id ' +
      'LEFT JOIN closure c ON c.tree = $1::int AND c.ancestor = p.ancestor AND c.descendant = i.id AND c.depth = p.depth + 1 ' +
      'WHERE i.tree = $1::int AND c.depth IS NULL',
  ],
  [
    'a message has no batch',
    'SELECT m.batch_id FROM sms_message m LEFT JOIN sms_batch b ON b.tree = $1::int AND b.id = m.batch_id ' +
      'WHERE m.tree = $1::int AND b.id IS NULL',
  ],
  [
    'batches of the log have gaps',
    'SELECT l.batch FROM log l WHERE l.tree = $1::int AND l.batch > (SELECT min(batch) FROM log WHERE tree = $1::int) ' +
      'AND NOT EXISTS (SELECT FROM log p WHERE p.tree = $1::int AND p.batch = l.batch - 1 AND p.last_seq = l.first_seq - 1)',
  ],
]

/** What is wrong with the rows of a tree that nothing writes; the first rows of each kind. */
export async function treeProblems(statements: Statements, tree: number): Promise<readonly string[]> {
  const problems: string[] = []
  for (const [problem, query] of VIOLATIONS) {
    for (const row of await statements.query<Record<string, unknown>>(`${query} LIMIT ${MOST}`, [tree])) {
      problems.push(`${problem} (${JSON.stringify(row)})`)
    }
  }
  return problems
}
