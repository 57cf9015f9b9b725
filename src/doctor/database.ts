import type { DatabaseServer } from '../options.ts'
import {
  deadRows,
  type SeenProcess,
  type ServerState,
  seenProcesses,
  serverState,
  treesOf,
} from '../store/postgres/check/server-state.ts'
import { treeProblems } from '../store/postgres/check/tree-problems.ts'
import { DEFAULT_SCHEMA, serversOf } from '../store/postgres/connection/address.ts'
import { placeOf, problemOf } from '../store/postgres/connection/database-problem.ts'
import { Lanes } from '../store/postgres/connection/lanes.ts'
import { Primary } from '../store/postgres/connection/primary.ts'
import { indexProblems } from '../store/postgres/indexes/inspect.ts'
import { ALIVE_MS } from '../store/postgres/processes.ts'
import { checkUsable, type Installation, installationOf } from '../store/postgres/schema/installation.ts'
import { planOf } from '../store/postgres/schema/migrate.ts'
import { newestVersion } from '../store/postgres/schema/migrations.ts'
import { checkServer, checkSession, missingRights, namedRights } from '../store/postgres/schema/server-checks.ts'
import { movedText } from '../store/rows/copy/moved-text.ts'
import { type CheckResult, ok, problem, warning } from './check-result.ts'

const MS = 1000
/** Longest time of one statement, in milliseconds: the number of children of a long list is counted. */
const STATEMENT_MS = 120_000
/** Difference of the clocks from which rules and times of day disagree, in milliseconds. */
const MAX_OFFSET_MS = 1000
/** Open transaction that holds up the removal of old rows, in seconds. */
const LONG_TRANSACTION_S = 300
const MANY_DEAD_ROWS = 10_000
/** Share of the connections of the server that may be taken. */
const MOST_CONNECTIONS = 0.8
const MAX_PROBLEMS = 10
const SHOWN_PROBLEMS = 3

/**
 * Checks the database of the settings. Changes nothing.
 * @param full reads every row of every tree and index
 * @see docs/how-to/postgres.md#looking-for-trouble
 */
export async function* checkDatabase(server: DatabaseServer, full: boolean): AsyncGenerator<CheckResult, void> {
  const lanes = new Lanes({ primary: new Primary(serversOf(server)), connections: 2, statementMs: STATEMENT_MS })
  try {
    yield* checks(lanes, server, full)
  } catch (error) {
    const found = await problemOf(error, server)
    yield problem(
      'database',
      found.message,
      found.isAway ? 'start it, or correct DATABASE_URL' : 'correct the settings',
    )
  } finally {
    await lanes.close()
  }
}

async function* checks(lanes: Lanes, server: DatabaseServer, full: boolean): AsyncGenerator<CheckResult, void> {
  const { schema = DEFAULT_SCHEMA, url } = server
  await checkServer(lanes)
  await checkSession(lanes, schema)
  const askedAt = Date.now()
  const state = await serverState(lanes)
  const offsetMs = (askedAt + Date.now()) / 2 - state.now
  yield ok('database', `PostgreSQL ${state.version} at ${placeOf(url)} answers and takes writes`)
  yield* checkState(state, offsetMs)
  const installation = await installationOf(lanes, schema)
  if (installation === undefined) {
    yield ok('tables', `the schema "${schema}" has none yet: the first start makes them`)
    return
  }
  checkUsable(installation, schema)
  yield checkTables(installation, schema)
  const missing = await missingRights(lanes, schema, undefined)
  if (missing.length === 0) yield ok('rights', 'the user may read and write all tables')
  else {
    yield problem(
      'rights',
      `the user lacks ${namedRights(missing)}`,
      'start once with DATABASE_OWNER_URL, or grant them',
    )
    return
  }
  yield checkProcesses(await seenProcesses(lanes, ALIVE_MS))
  yield* checkDeadRows(lanes, schema)
  // The rows of older versions have another meaning.
  if (installation.version >= newestVersion()) yield* checkTrees(lanes, full)
}

function checkTables(installation: Installation, schema: string): CheckResult {
  const { now, later } = planOf(installation, false)
  if (now.length > 0) return ok('tables', 'of an older version: the next start brings them up to date')
  if (later.length > 0) {
    const found = `${later.length} changes wait until no server of an older version runs`
    return warning('tables', found, 'then run `dhole migrate --finish`')
  }
  const version = installation.version > newestVersion() ? 'a later version, which this one can use' : 'this version'
  return ok('tables', `those of ${version}, in the schema "${schema}"`)
}

function* checkState(state: ServerState, offsetMs: number): Generator<CheckResult, void> {
  const off = Object.entries({ fsync: state.fsync, full_page_writes: state.fullPageWrites }).filter(
    ([, value]) => value !== 'on',
  )
  for (const [name] of off) {
    yield warning('durability', `${name} is off: a power cut may lose acknowledged writes`, `set ${name} = on`)
  }
  if (off.length === 0) {
    const standbys = state.standbyNames === '' ? 'no standby' : `standbys: ${state.standbyNames}`
    yield ok('durability', `writes are flushed before they are acknowledged; they wait for ${standbys}`)
  }
  const seconds = `${Math.abs(offsetMs / MS).toFixed(1)} s`
  if (Math.abs(offsetMs) > MAX_OFFSET_MS) {
    const found = `this machine is ${seconds} ${offsetMs > 0 ? 'ahead of' : 'behind'} the database`
    yield warning('clock', found, 'run a time service on both')
  } else yield ok('clock', `${seconds} from that of the database`)
  yield checkEncryption(state)
  const { connections, maxConnections, longestTransaction } = state
  const used = `${connections} of ${maxConnections} are taken`
  if (connections > maxConnections * MOST_CONNECTIONS) {
    yield warning('connections', used, 'raise max_connections, or lower DATABASE_CONNECTIONS')
  } else yield ok('connections', used)
  if (longestTransaction > LONG_TRANSACTION_S) {
    const found = `one is open for ${Math.round(longestTransaction)} s: old rows cannot be removed meanwhile`
    yield warning('transactions', found, 'look for it in pg_stat_activity, and end it')
  } else yield ok('transactions', 'none is open for long')
}

function checkEncryption({ isEncrypted, tls, address }: ServerState): CheckResult {
  if (isEncrypted) return ok('encryption', `the connection is encrypted (${tls})`)
  if (address === null || address === '127.0.0.1' || address === '::1') {
    return ok('encryption', 'none, on this machine')
  }
  return warning('encryption', `the connection to ${address} is not encrypted`, 'use sslmode=verify-full')
}

function checkProcesses(processes: readonly SeenProcess[]): CheckResult {
  const alive = processes.filter(({ isAlive }) => isAlive)
  const versions = new Set(alive.map(({ version }) => version))
  const hosts = alive.map(({ host, version }) => `${version} on ${host}`).join(', ')
  if (versions.size > 1) return warning('servers', `of several versions: ${hosts}`, 'update all of them')
  return ok('servers', alive.length === 0 ? 'none runs on these tables' : `${alive.length} alive: ${hosts}`)
}

async function* checkDeadRows(lanes: Lanes, schema: string): AsyncGenerator<CheckResult, void> {
  const tables = await deadRows(lanes, schema, MANY_DEAD_ROWS)
  for (const { table, dead, live } of tables) {
    yield warning(`table ${table}`, `${dead} dead rows beside ${live} that live`, 'is autovacuum on? VACUUM it')
  }
  if (tables.length === 0) yield ok('dead rows', 'few')
}

async function* checkTrees(lanes: Lanes, full: boolean): AsyncGenerator<CheckResult, void> {
  const all = await treesOf(lanes)
  for (const { id, movedTo, isArriving } of all) {
    if (isArriving) yield warning(`tree "${id}"`, 'its copy is not complete', 'run the same `dhole copy` again')
    else if (movedTo !== null)
      yield warning(`tree "${id}"`, movedText(movedTo), 'remove it only when it is served from there')
  }
  const trees = all.filter(({ movedTo, isArriving }) => movedTo === null && !isArriving)
  if (!full) {
    yield ok('trees', `${trees.length} applications; --full reads their rows`)
    return
  }
  for (const { id, tree } of trees) yield await checkTree(lanes, id, tree)
}

async function checkTree(lanes: Lanes, id: string, tree: number): Promise<CheckResult> {
  const found = await lanes.snapshot(async (statements) => {
    const problems: string[] = []
    for await (const each of treeProblems(statements, tree)) {
      problems.push(`${each.problem} (${each.row})`)
      if (problems.length === MAX_PROBLEMS) return problems
    }
    for await (const { problem: what, index, name } of indexProblems(statements, tree)) {
      problems.push(`${what} (index ${index} ${name})`)
      if (problems.length === MAX_PROBLEMS) return problems
    }
    return problems
  })
  if (found.length === 0) return ok(`tree "${id}"`, 'every row checked')
  const more = found.length > SHOWN_PROBLEMS ? '; and more' : ''
  const text = found.slice(0, SHOWN_PROBLEMS).join('; ') + more
  return problem(`tree "${id}"`, text, 'stop writing to it, and restore a backup')
}
