import type { Statements } from '../connection/lane.ts'
import { DATABASE_NOW } from '../processes.ts'

/** State of a database server that an operator can change. */
export interface ServerState {
  readonly version: string
  readonly fsync: string
  readonly fullPageWrites: string
  /** Empty: no commit waits for a standby. */
  readonly standbyNames: string
  readonly connections: number
  readonly maxConnections: number
  /** Longest open transaction of another connection, in seconds; 0 when there is none that this user may see. */
  readonly longestTransaction: number
  readonly isEncrypted: boolean
  /** Version of TLS; `null` without it. */
  readonly tls: string | null
  /** Address of the server; `null` over a socket of this machine. */
  readonly address: string | null
  /** Time by its clock, in milliseconds since 1970. */
  readonly now: number
}

const STATE = `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS "fullPageWrites", current_setting('synchronous_standby_names') AS "standbyNames",
  (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
  current_setting('max_connections')::int AS "maxConnections",
  (SELECT coalesce(max(extract(epoch FROM clock_timestamp() - a.xact_start)), 0)::float8 FROM pg_stat_activity a
    WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()) AS "longestTransaction",
  coalesce(s.ssl, false) AS "isEncrypted", s.version AS tls, host(inet_server_addr()) AS address, ${DATABASE_NOW}::float8 AS now
FROM (SELECT 1) one LEFT JOIN pg_stat_ssl s ON s.pid = pg_backend_pid()`

export async function serverState(statements: Statements): Promise<ServerState> {
  const [state] = await statements.query<ServerState>(STATE)
  if (state === undefined) throw new Error('the database has no state')
  return state
}

/** A process that has written its row. */
export interface SeenProcess {
  readonly version: string
  readonly host: string
  readonly isAlive: boolean
}

/** @param aliveMs longest time since a sign of life of a process that counts as alive, in milliseconds */
export function seenProcesses(statements: Statements, aliveMs: number): Promise<readonly SeenProcess[]> {
  return statements.query<SeenProcess>(
    `SELECT version, host, seen_at > ${DATABASE_NOW} - $1::bigint AS "isAlive" FROM process ORDER BY started_at`,
    [aliveMs],
  )
}

/** A table with more dead rows than half of those that live. */
export interface DeadRows {
  readonly table: string
  readonly dead: number
  readonly live: number
}

/** @param least dead rows below which a table is left out */
export function deadRows(statements: Statements, schema: string, least: number): Promise<readonly DeadRows[]> {
  return statements.query<DeadRows>(
    `SELECT relname AS table, n_dead_tup::float8 AS dead, n_live_tup::float8 AS live FROM pg_stat_user_tables
     WHERE schemaname = $1 AND n_dead_tup >= $2::bigint AND n_dead_tup * 2 > n_live_tup ORDER BY n_dead_tup DESC`,
    [schema, least],
  )
}

/** The tree of an application. */
interface FoundTree {
  readonly id: string
  readonly tree: number
  /** Where it was moved. */
  readonly movedTo: string | null
  /** Whether a copy of it is not complete. */
  readonly isArriving: boolean
}

/** The applications of an installation and the numbers of their trees. */
export function treesOf(statements: Statements): Promise<readonly FoundTree[]> {
  return statements.query(
    'SELECT id, tree, moved_to AS "movedTo", is_arriving AS "isArriving" FROM application a ORDER BY a.id',
  )
}
