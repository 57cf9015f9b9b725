import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AS_USER, giveToUser, programs } from './programs.ts'

const PORT = 5432
/** A test process that is killed cannot stop its server. */
const LONGEST_RUN = '1200'
const OPTIONS = [
  'fsync=off',
  'listen_addresses=',
  'max_connections=200',
  'shared_buffers=64MB',
  'log_min_messages=fatal',
  'timezone=UTC',
]

let address: string | undefined
let schemas = 0

/** Address of a PostgreSQL for tests: `TEST_DATABASE_URL`, or one that this process starts; `undefined` where none is installed. */
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
  schemas++
  return `test_${process.pid}_${schemas}`
}

function start(): string | undefined {
  const folder = programs()
  if (folder === undefined) return undefined
  const home = mkdtempSync(join(tmpdir(), 'dhole-postgres-'))
  giveToUser(home)
  const data = join(home, 'data')
  run('initdb', '-D', data, '-U', 'dhole', '-A', 'trust', '-E', 'UTF8', '--no-sync')
  const settings = OPTIONS.flatMap((option) => ['-c', option])
  const command = ['-D', data, '-c', `unix_socket_directories=${home}`, ...settings]
  const server = Bun.spawn([...AS_USER, 'timeout', '--signal=INT', LONGEST_RUN, join(folder, 'postgres'), ...command], {
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  server.unref()
  process.on('exit', () => {
    server.kill('SIGINT')
    rmSync(home, { recursive: true, force: true })
  })
  for (let attempt = 0; !existsSync(join(home, `.s.PGSQL.${PORT}`)) || !isReady(); attempt++) {
    if (attempt > 300 || server.exitCode !== null) throw new Error('PostgreSQL did not start')
    Bun.sleepSync(20)
  }
  return `postgres://dhole@localhost:${PORT}/postgres?host=${home}`

  function run(program: string, ...args: readonly string[]): void {
    const { exitCode, stderr } = Bun.spawnSync([...AS_USER, join(folder ?? '', program), ...args])
    if (exitCode !== 0) throw new Error(`${program} failed: ${stderr}`)
  }

  function isReady(): boolean {
    return Bun.spawnSync([join(folder ?? '', 'pg_isready'), '-q', '-h', home]).exitCode === 0
  }
}
