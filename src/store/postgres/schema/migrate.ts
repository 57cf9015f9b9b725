import program from '../../../../package.json' with { type: 'json' }
import { isServerError } from '../connection/database-errors.ts'
import type { Statements } from '../connection/lane.ts'
import type { Lanes } from '../connection/lanes.ts'
import { isAlive } from '../processes.ts'
import { checkUsable, type Installation, installationOf, quoted } from './installation.ts'
import { type Migration, migrations } from './migrations.ts'
import { missingRights } from './server-checks.ts'

/** Any number: it names the lock under which the schema is changed. */
const LOCK = 4_205_117
const TAKE_LOCK = 'SELECT pg_advisory_xact_lock($1::int, hashtext($2))'
/**
 * Longest wait for a lock: everything that needs the table waits behind a change that waits. What is in use longer, by an
 * export or a forgotten transaction, lets the attempt fail with `55P03`.
 */
const BOUND_LOCKS = "SET LOCAL lock_timeout = '1s'"

/** How the tables are brought up to date. */
export interface MigrateOptions {
  /** Role that gets the rights to read and write the tables, if it lacks them. */
  readonly role?: string | undefined
  /** Applies narrowing migrations too. @see Migration */
  readonly finish?: boolean | undefined
}

/** What is to be done to bring tables up to date. */
export interface MigrationPlan {
  /** Those that are applied now. */
  readonly now: readonly Migration[]
  /** Those from the first narrowing one, which wait until it is asked for. */
  readonly later: readonly Migration[]
}

/** @param installation `undefined` for a schema without tables */
export function planOf(installation: Installation | undefined, finish: boolean): MigrationPlan {
  const pending = migrations().slice(installation?.version ?? 0)
  // Tables that are not there yet are not in use.
  const first = finish || installation === undefined ? -1 : pending.findIndex(({ isNarrowing }) => isNarrowing)
  return first < 0 ? { now: pending, later: [] } : { now: pending.slice(0, first), later: pending.slice(first) }
}

/**
 * Creates the schema and brings its tables to this version, all or nothing. Several processes may call it at once: one does
 * the work. Processes of older versions go on.
 * @returns the migrations that were applied
 * @throws Error when this version of the program cannot use the tables, or another program has made the schema
 */
export async function migrate(
  lanes: Lanes,
  schema: string,
  { role, finish = false }: MigrateOptions = {},
): Promise<readonly Migration[]> {
  const found = await installationOf(lanes, schema)
  if (found !== undefined) checkUsable(found, schema)
  const isReady = found !== undefined && planOf(found, finish).now.length === 0
  if (isReady && (await hasRights(lanes, schema, role))) return []
  try {
    return await change(lanes, schema, { role, finish })
  } catch (error) {
    // Without tables the user lacks the right to make them.
    if (found === undefined || !isServerError(error) || error.errno !== NO_RIGHT) throw error
    const what = `the tables of the schema ${quoted(schema)} are of an older version, and this user may not change them`
    throw new Error(`${what}: set DATABASE_OWNER_URL`, { cause: error })
  }
}

/** SQLSTATE of a missing right. */
const NO_RIGHT = '42501'

function change(lanes: Lanes, schema: string, { role, finish = false }: MigrateOptions): Promise<readonly Migration[]> {
  return lanes.transaction(async (statements) => {
    await statements.query(BOUND_LOCKS)
    await statements.query(TAKE_LOCK, [LOCK, schema])
    const installation = await installationOf(statements, schema)
    if (installation === undefined) await create(statements, schema)
    else checkUsable(installation, schema)
    const { now } = planOf(installation, finish)
    if (installation !== undefined) await checkOthers(statements, now)
    for (const { statements: texts } of now) {
      for (const text of texts) await statements.query(text)
    }
    if (now.length > 0) await record(statements, now)
    if (role !== undefined && !(await hasRights(statements, schema, role))) await grant(statements, schema, role)
    return now
  })
}

/** @throws Error unless the widening migrations of this version are applied: its statements need them */
export function checkUpToDate(installation: Installation, schema: string): void {
  const { now, later } = planOf(installation, false)
  const waiting = later.findLast(({ isNarrowing }) => !isNarrowing)
  if (now.length === 0 && waiting === undefined) return
  const advice = now.length > 0 ? 'run `dhole migrate`' : 'stop all older servers, and run `dhole migrate --finish`'
  throw new Error(`the tables of the schema ${quoted(schema)} are of an older version: ${advice}`)
}

async function create(statements: Statements, schema: string): Promise<void> {
  // A user who may not create schemas can have one that was made for it.
  const found = await statements.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema])
  if (found.length === 0) await statements.query(`CREATE SCHEMA ${quoted(schema)}`)
  await statements.query(
    'CREATE TABLE installation (schema_version integer NOT NULL, history text, secrets_check text)',
  )
  await statements.query('INSERT INTO installation (schema_version) VALUES (0)')
}

const OLDER =
  "SELECT format('%s on %s', p.version, p.host) AS name FROM process p " +
  `WHERE ${isAlive('p.id')} AND coalesce(p.migrations, 0) < $1::int ORDER BY p.version, p.host`

/** @throws Error when a process is alive that cannot use the tables after some migrations */
async function checkOthers(statements: Statements, now: readonly Migration[]): Promise<void> {
  const least = leastOf(now)
  if (least === 0) return
  // A process that starts locks the row too before it writes its own: one of the two sees the other.
  await statements.query('SELECT FROM installation FOR UPDATE')
  const older = await statements.query<{ name: string }>(OLDER, [least])
  if (older.length === 0) return
  throw new Error(`servers of older versions are alive: ${older.map(({ name }) => name).join(', ')}; stop them first`)
}

async function record(statements: Statements, now: readonly Migration[]): Promise<void> {
  await statements.query(
    'UPDATE installation SET schema_version = $1::int, least_version = greatest(least_version, $2::int), made_by = $3::text',
    [now.at(-1)?.version ?? 0, leastOf(now), program.version],
  )
}

/** Number of migrations that a program must know after some were applied. */
function leastOf(now: readonly Migration[]): number {
  return now.findLast(({ isNarrowing }) => isNarrowing)?.version ?? 0
}

async function hasRights(statements: Statements, schema: string, role: string | undefined): Promise<boolean> {
  return role === undefined || (await missingRights(statements, schema, role)).length === 0
}

async function grant(statements: Statements, schema: string, role: string): Promise<void> {
  const [of, to] = [quoted(schema), quoted(role)]
  await statements.query(`GRANT USAGE ON SCHEMA ${of} TO ${to}`)
  await statements.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${of} TO ${to}`)
}
