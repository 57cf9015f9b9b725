/**
 * Statements that read the log. Parameters: number of the tree, number of a commit, last batch to read, and most rows. A
 * batch without commits is left out.
 */

/** Number of the first commit that the log still has. */
export const FIRST_SEQ =
  'SELECT l.first_seq::float8 AS first FROM log l WHERE l.tree = $1::int ORDER BY l.batch LIMIT 1'

/** What rows hold, without the data. */
export const HEADS =
  'SELECT l.batch::float8 AS batch, l.last_seq::float8 AS seq, l.at::float8 AS at, l.heads FROM log l ' +
  'WHERE l.tree = $1::int AND l.last_seq > $2::bigint AND l.batch <= $3::bigint AND l.first_seq <= l.last_seq ' +
  'ORDER BY l.last_seq LIMIT $4::int'

/** Data of batches, in the order of the given numbers. */
export const DATA =
  'SELECT s.n::int AS n, l.data FROM unnest($2::bigint[]) WITH ORDINALITY AS s(batch, n) CROSS JOIN LATERAL ' +
  '(SELECT l.data FROM log l WHERE l.tree = $1::int AND l.batch = s.batch LIMIT 1) l'
