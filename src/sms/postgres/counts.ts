import { COUNT_NAMES, type CountName, type Counts, type Tally } from '../model/counts.ts'
import type { Statements } from './tables.ts'

const ADD =
  'INSERT INTO sms_count AS c (tree, name, value) SELECT $1::int, s.* ' +
  'FROM unnest($2::text[], $3::bigint[]) AS s(name, value) ' +
  'ON CONFLICT (tree, name) DO UPDATE SET value = c.value + excluded.value'

const ALL = 'SELECT name, value::float8 AS value FROM sms_count WHERE tree = $1::int'

/** Writes the changes of a transaction at its end: other transactions that change the counts wait from then on. */
export async function addToCounts(statements: Statements, tree: number, tally: Tally): Promise<void> {
  // In one order, so that two transactions never wait for each other.
  const changes = [...tally.changes()].toSorted(([left], [right]) => (left < right ? -1 : 1))
  if (changes.length === 0) return
  await statements.query(ADD, [tree, changes.map(([name]) => name), changes.map(([, by]) => by)])
}

export async function readCounts({ query }: Statements, tree: number): Promise<Counts> {
  const rows = await query<{ name: string; value: number }>(ALL, [tree])
  const stored = new Map(rows.map(({ name, value }) => [name, value]))
  return Object.fromEntries(COUNT_NAMES.map((name) => [name, stored.get(name) ?? 0])) as Record<CountName, number>
}
