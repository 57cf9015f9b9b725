import { arrayOf } from '../connection/arrays.ts'
import { DATABASE_NOW } from '../processes.ts'

/**
 * Time after the last heartbeat of a process after which others take over its sessions, in milliseconds of the clock of the
 * database. By then the process has fallen silent, if it is alive at all. If it is, the log decides who writes.
 */
const LOST_MS = 10_000

/** The processes that sessions belong to: one step in the index for each of them, however many sessions there are. */
const OWNERS =
  'WITH RECURSIVE owner(process) AS (' +
  '(SELECT s.process FROM session s ORDER BY s.process LIMIT 1) UNION ALL ' +
  'SELECT (SELECT s.process FROM session s WHERE s.process > o.process ORDER BY s.process LIMIT 1) ' +
  'FROM owner o WHERE o.process IS NOT NULL) '

const IS_SEEN = `p.seen_at > ${DATABASE_NOW} - ${LOST_MS}`

const ENDED =
  `${OWNERS}SELECT o.process FROM owner o WHERE o.process <> $1::text AND NOT EXISTS ` +
  `(SELECT FROM process p WHERE p.id = o.process AND ${IS_SEEN})`

const UNKNOWN =
  `${OWNERS}SELECT o.process FROM owner o JOIN process p ON p.id = o.process AND ${IS_SEEN} ` +
  'JOIN process me ON me.id = $1::text AND me.started_at >= p.seen_at ' +
  'WHERE o.process <> $1::text AND EXISTS (SELECT FROM session s WHERE s.process = o.process AND s.tree = $2::int) LIMIT 1'

const APPLICATIONS =
  'SELECT a.id FROM application a WHERE a.removed_at IS NULL AND a.moved_to IS NULL AND NOT a.is_arriving AND EXISTS ' +
  '(SELECT FROM session s WHERE s.process = ANY($1::text[]) AND s.tree = a.tree)'

interface Statements {
  query<R extends object>(text: string, parameters: readonly (string | number)[]): Promise<readonly R[]>
}

/** The processes that have ended and to which sessions belong. @param self id of this process */
export async function endedOwners(statements: Statements, self: string): Promise<readonly string[]> {
  const rows = await statements.query<{ process: string }>(ENDED, [self])
  return rows.map(({ process }) => process)
}

/**
 * Whether sessions of a tree belong to a process that may have ended before this one has started: no heartbeat of it has come
 * since. @param self id of this process
 */
export async function hasUnknownOwner(statements: Statements, self: string, tree: number): Promise<boolean> {
  return (await statements.query(UNKNOWN, [self, tree])).length > 0
}

/** The applications with sessions of some processes. */
export async function applicationsOf(statements: Statements, processes: readonly string[]): Promise<readonly string[]> {
  const rows = await statements.query<{ id: string }>(APPLICATIONS, [arrayOf(processes)])
  return rows.map(({ id }) => id)
}
