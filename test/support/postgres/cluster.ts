import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AS_USER, giveToUser, programs } from './programs.ts'

const PORT = 5432
const OPTIONS = [
  // In its folder, which goes with it however it ends.
  'dynamic_shared_memory_type=mmap',
  'fsync=off',
  'listen_addresses=',
  'max_connections=200',
  'shared_buffers=64MB',
  'log_min_messages=fatal',
  'timezone=UTC',
]
/**
 * Stops the server and removes its folder when the test process is gone: a worker of the test runner calls no handler
 * when it ends.
 */
const KEEPER = `
parent=$1; home=$2; shift 2
"$@" &
server=$!
while kill -0 "$parent" && kill -0 "$server"; do sleep 0.5; done
kill -INT "$server"
wait "$server"
rm -rf "$home"
`

let address: string | undefined

/**
 * Address of a PostgreSQL for tests: `TEST_DATABASE_URL`, or one that this process starts, which all its test files
 * share; `undefined` where none is installed.
 */
export function databaseUrl(): string | undefined {
  address ??= process.env['TEST_DATABASE_URL'] ?? start()
  return address
}

/** Why tests of PostgreSQL are skipped; `undefined` when they run. For the name of a skipped test. */
export const whyNoPostgres =
  process.env['TEST_DATABASE_URL'] === undefined && programs() === undefined
    ? 'no PostgreSQL is installed, and TEST_DATABASE_URL is not set'
    : undefined

/** A name for a schema that no other test uses. */
export function freshSchema(): string {
  return `test_${process.pid}_${crypto.randomUUID().slice(0, 13).replace('-', '')}`
}

function start(): string | undefined {
  const folder = programs()
  if (folder === undefined) return undefined
  // Test files of one process may have modules of their own.
  const home = join(tmpdir(), `dhole-postgres-${process.pid}`)
  const url = `postgres://dhole@localhost:${PORT}/postgres?host=${home}`
  const isReady = () => Bun.spawnSync([join(folder, 'pg_isready'), '-q', '-h', home]).exitCode === 0
  if (existsSync(home) && isReady()) return url
  Bun.spawnSync(['rm', '-rf', home])
  mkdirSync(home, { mode: 0o700 })
  giveToUser(home)
  const data = join(home, 'data')
  run(...AS_USER, join(folder, 'initdb'), '-D', data, '-U', 'dhole', '-A', 'trust', '-E', 'UTF8', '--no-sync')
  const settings = OPTIONS.flatMap((option) => ['-c', option])
  const command = [...AS_USER, join(folder, 'postgres'), '-D', data, '-c', `unix_socket_directories=${home}`]
  // Not a child of this process: the test runner ends those that a test leaves behind.
  const detached = 'setsid sh -c "$0" sh "$@" </dev/null >/dev/null 2>&1 &'
  run('sh', '-c', detached, KEEPER, String(process.pid), home, ...command, ...settings)
  for (let attempt = 0; !existsSync(join(home, `.s.PGSQL.${PORT}`)) || !isReady(); attempt++) {
    if (attempt > 500) throw new Error('PostgreSQL did not start')
    Bun.sleepSync(20)
  }
  return url
}

/** @throws Error when it fails */
function run(...command: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([...command])
  if (exitCode !== 0) throw new Error(`${command.join(' ')} failed: ${stderr}`)
}
