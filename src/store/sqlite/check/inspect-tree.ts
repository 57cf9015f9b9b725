import { keyOf } from '../../../tree/order.ts'
import { neededTraitsOf, Trait } from '../../rows/slot.ts'
import type { Connection } from '../file/connection.ts'
import { MAX_REPORTED, type Problem, problem, type Violation, violations } from './problem.ts'

/** Interior nodes of detached subtrees: their rows are removed in steps and need not be consistent. */
const GONE =
  'CREATE TEMP TABLE gone AS WITH RECURSIVE gone(id) AS (SELECT id FROM detached UNION ' +
  'SELECT n.id FROM gone g JOIN node n ON n.parent_id = g.id WHERE n.id IS NOT NULL) SELECT id FROM gone'

/**
 * Queries that find inconsistencies. The closure is right when it has a row of each node with itself, for each row of
 * its parent a row one level deeper, and no others.
 */
const VIOLATIONS: readonly Violation[] = [
  [
    'a closure row has no meaning',
    'SELECT c.ancestor, c.descendant, c.depth FROM closure c LEFT JOIN interior i ON i.id = c.descendant ' +
      'WHERE c.descendant NOT IN gone AND NOT coalesce(CASE c.depth ' +
      'WHEN 0 THEN c.ancestor = c.descendant AND i.id IS NOT NULL ELSE i.parent_id > 0 AND EXISTS (' +
      'SELECT 1 FROM closure p WHERE p.ancestor = c.ancestor AND p.descendant = i.parent_id AND p.depth = c.depth - 1' +
      ') END, 0)',
  ],
  [
    'an interior node lacks its own closure row',
    'SELECT i.id FROM interior i WHERE i.id NOT IN gone AND NOT EXISTS (' +
      'SELECT 1 FROM closure c WHERE c.ancestor = i.id AND c.descendant = i.id AND c.depth = 0)',
  ],
  [
    'a closure row is missing',
    'SELECT p.ancestor, i.id AS descendant, p.depth + 1 AS depth FROM interior i ' +
      'JOIN closure p ON p.descendant = i.parent_id WHERE i.parent_id > 0 AND i.id NOT IN gone AND NOT EXISTS (' +
      'SELECT 1 FROM closure c WHERE c.ancestor = p.ancestor AND c.descendant = i.id AND c.depth = p.depth + 1)',
  ],
  [
    'an interior node has no slot',
    'SELECT i.id, i.parent_id, i.key FROM interior i LEFT JOIN node n ON n.parent_id = i.parent_id AND n.key = i.key ' +
      `AND n.id = i.id AND iif(i.traits & ${Trait.chunks}, n.kind IN (4, 6), n.kind = 5) ` +
      'WHERE n.id IS NULL AND i.id NOT IN gone',
  ],
  [
    'a slot leads to no interior node',
    'SELECT n.parent_id, n.key, n.id FROM node n LEFT JOIN interior i ON i.id = n.id AND i.parent_id = n.parent_id ' +
      'AND i.key = n.key WHERE n.id IS NOT NULL AND i.id IS NULL AND n.parent_id NOT IN gone',
  ],
  [
    'a slot has no parent',
    'SELECT n.parent_id, n.key FROM node n LEFT JOIN interior i ON i.id = n.parent_id ' +
      'WHERE n.parent_id <> 0 AND i.id IS NULL AND n.parent_id NOT IN gone',
  ],
  ['there is a second root', "SELECT parent_id, key FROM node WHERE parent_id = 0 AND key <> ''"],
  [
    'a number of children is wrong',
    'SELECT i.id, i.child_count, (SELECT count(*) FROM node n WHERE n.parent_id = i.id ' +
      "AND n.key <> '.priority') AS children FROM interior i " +
      'WHERE i.id NOT IN gone AND (i.child_count <> children ' +
      `OR (i.child_count < 1) <> ((i.traits & ${Trait.chunks}) <> 0))`,
  ],
  [
    'kind, value and id of a slot do not fit',
    'SELECT parent_id, key, kind, id, substr(value, 1, 60) AS value FROM node WHERE NOT coalesce(CASE kind ' +
      "WHEN 1 THEN value = 'false' WHEN 2 THEN value = 'true' WHEN 5 THEN value IS NULL AND id IS NOT NULL " +
      "ELSE (id IS NULL OR kind IN (4, 6)) AND json_valid(value) AND CASE json_type(CASE WHEN json_valid(value) THEN value ELSE 'null' END) " +
      "WHEN 'integer' THEN kind = 3 WHEN 'real' THEN kind = 3 WHEN 'text' THEN kind = 4 " +
      "WHEN 'object' THEN kind = 6 WHEN 'array' THEN kind = 6 ELSE 0 END END, 0)",
  ],
]

interface TraitRow {
  readonly parent_id: number
  readonly key: string
  readonly value: string | null
  readonly traits: number
}

/** Inconsistencies of slots, interior nodes and closure. */
export function* treeProblems({ client }: Connection): Generator<Problem, void> {
  client.run(GONE)
  client.run('CREATE UNIQUE INDEX temp.gone_id ON gone(id)')
  yield* violations(client, VIOLATIONS)
  yield* traitProblems(client)
}

/** Missing traits, which make a reader return wrong answers. */
function* traitProblems(client: Connection['client']): Generator<Problem, void> {
  const rows = client.prepare<TraitRow, []>(
    'SELECT n.parent_id, n.key, n.value, i.traits FROM interior i JOIN node n ON n.parent_id = i.id ' +
      'WHERE i.id NOT IN gone',
  )
  let reported = 0
  for (const { parent_id, key, value, traits } of rows.iterate()) {
    const needed = neededTraitsOf(keyOf(key), value ?? undefined)
    if ((traits & needed) === needed) continue
    yield problem('traits do not tell of a child', { parent_id, key, traits, needed })
    if (++reported === MAX_REPORTED) return
  }
}
