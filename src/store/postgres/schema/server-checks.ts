import { sessionSettings } from '../connection/address.ts'
import { arrayOf } from '../connection/arrays.ts'
import type { Statements } from '../connection/lane.ts'
import { quoted } from './installation.ts'

/** Oldest version of PostgreSQL, as `server_version_num`: older ones do not know the storage parameters of the tables. */
const LEAST_VERSION = 130_000
const VERSION_STEP = 10_000

const SERVER = `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
  current_setting('server_encoding') AS encoding, version() AS product`

interface ServerFacts {
  readonly number: number
  readonly version: string
  readonly encoding: string
  /** Begins with `PostgreSQL` and its version, and goes on with those of a product that is made from it. */
  readonly product: string
}

/** Checks what the tables and statements need of the server. @throws Error when it cannot be used */
export async function checkServer(statements: Statements): Promise<void> {
  const [facts] = await statements.query<ServerFacts>(SERVER)
  const found = facts && serverProblem(facts)
  if (found !== undefined) throw new Error(found)
}

/** Why a server cannot be used; `undefined` if it can. */
export function serverProblem({ number, version, encoding, product }: ServerFacts): string | undefined {
  const other = otherProduct(product)
  if (other !== undefined) return `it is ${other}: PostgreSQL itself is needed`
  if (number < LEAST_VERSION) {
    return `it is PostgreSQL ${version}: version ${LEAST_VERSION / VERSION_STEP} or later is needed`
  }
  if (encoding !== 'UTF8') return `its encoding is ${encoding}: create a database with ENCODING 'UTF8'`
  return undefined
}

/** YugabyteDB counts its own version behind that of PostgreSQL. */
const YUGABYTE = /^PostgreSQL \S+-YB-/

/** Name of another database that speaks the protocol of PostgreSQL; `undefined` for PostgreSQL. */
function otherProduct(product: string): string | undefined {
  if (YUGABYTE.test(product)) return 'YugabyteDB'
  const [name = ''] = product.split(' ')
  return name === 'PostgreSQL' ? undefined : name
}

const SETTINGS = `SELECT s.name, s.value, current_user::text AS role, current_database()::text AS database
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS s(name, value, place)
WHERE current_setting(s.name, true) IS DISTINCT FROM s.value ORDER BY s.place`

/** Checks the settings of a session. @throws Error with the statements that give them to the role, as a pooler needs them */
export async function checkSession(statements: Statements, schema: string): Promise<void> {
  const wanted = Object.entries(sessionSettings(schema))
  const lacking = await statements.query<{ name: string; value: string; role: string; database: string }>(SETTINGS, [
    arrayOf(wanted.map(([name]) => name)),
    arrayOf(wanted.map(([, value]) => value)),
  ])
  if (lacking.length === 0) return
  const alter = lacking.map(
    ({ name, value, role, database }) =>
      `ALTER ROLE ${quoted(role)} IN DATABASE ${quoted(database)} SET ${name} = '${value}'`,
  )
  throw new Error(`a pooler passes no settings of sessions on, and the role lacks them: ${alter.join('; ')}`)
}

const MISSING = `SELECT c.relname AS name, r.name AS privilege
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace,
  unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) WITH ORDINALITY AS r(name, place)
WHERE n.nspname = $1 AND c.relkind = 'r' AND (c.relname <> 'installation' OR r.name IN ('SELECT', 'UPDATE'))
  AND NOT has_table_privilege($2::name, c.oid, r.name)
ORDER BY c.relname, r.place`

/**
 * What a role may not do with the tables of a schema, such as `DELETE on node`.
 * @param role `undefined`: that of the connection
 */
export async function missingRights(
  statements: Statements,
  schema: string,
  role: string | undefined,
): Promise<readonly string[]> {
  const [user] = await statements.query<{ name: string; usage: boolean }>(
    `SELECT r.name, has_schema_privilege(r.name::name, $1, 'USAGE') AS usage
     FROM (SELECT coalesce($2::text, current_user::text) AS name) r`,
    [schema, role ?? null],
  )
  const missing = await statements.query<{ name: string; privilege: string }>(MISSING, [schema, user?.name ?? ''])
  const rights = missing.map(({ name, privilege }) => `${privilege} on ${name}`)
  return user?.usage === false ? [`USAGE on schema ${schema}`, ...rights] : rights
}

/** Most rights that an error names. */
const MOST_NAMED = 3

/** Checks that the role of the connection may read and write all tables. @throws Error that names what is missing */
export async function checkRights(statements: Statements, schema: string): Promise<void> {
  const missing = await missingRights(statements, schema, undefined)
  if (missing.length > 0) throw new Error(`its user lacks rights: ${namedRights(missing)}`)
}

/** The first of some rights, as text. */
export function namedRights(rights: readonly string[]): string {
  const more = rights.length > MOST_NAMED ? ` and ${rights.length - MOST_NAMED} more` : ''
  return rights.slice(0, MOST_NAMED).join(', ') + more
}
