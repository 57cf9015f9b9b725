import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OwnedPostgres } from './owned-server.ts'
import { AS_USER, giveToUser, programs } from './programs.ts'
import { freePort } from './tcp-server.ts'

/** Distributions put it where the search path of a user may not lead. */
const PROGRAM = Bun.which('pgbouncer', { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin` })
/** A test process that is killed cannot stop it. */
const LONGEST_RUN = '300'
/** Longest wait for it to take connections, in tries of 20 ms. */
const MOST_TRIES = 500

/** Why tests with a pooler are skipped; `undefined` when they run. For the name of a skipped test. */
export const whyNoPooler =
  programs() === undefined ? 'no PostgreSQL is installed' : PROGRAM === null ? 'no PgBouncer is installed' : undefined

/** A PgBouncer that gives each transaction any of a few sessions. */
export class Pooler implements AsyncDisposable {
  readonly port: number
  readonly #home: string
  readonly #process: Bun.Subprocess

  private constructor(port: number, home: string, process: Bun.Subprocess) {
    this.port = port
    this.#home = home
    this.#process = process
  }

  /** @param sessions most sessions of the database @param ignored settings of sessions that it drops, and does not refuse */
  static async start(postgres: OwnedPostgres, sessions: number, ignored: readonly string[] = []): Promise<Pooler> {
    const home = mkdtempSync(join(tmpdir(), 'dhole-pooler-'))
    giveToUser(home)
    const port = freePort()
    const [host, databasePort] = [new URL(postgres.url).searchParams.get('host'), new URL(postgres.url).port]
    const settings = [
      '[databases]',
      `* = host=${host} port=${databasePort || '5432'}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1`,
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${join(home, 'users')}`,
      'pool_mode = transaction',
      // After a failed connection it waits for so many seconds before the next one; the default is 15.
      'server_login_retry = 0.1',
      `default_pool_size = ${sessions}`,
      ...(ignored.length === 0 ? [] : [`ignore_startup_parameters = ${ignored.join(',')}`]),
      `logfile = ${join(home, 'log')}`,
    ]
    writeFileSync(join(home, 'settings'), settings.join('\n'), { mode: 0o644 })
    writeFileSync(join(home, 'users'), '"dhole" ""\n', { mode: 0o644 })
    const command = ['timeout', '--foreground', LONGEST_RUN, PROGRAM ?? 'pgbouncer', join(home, 'settings')]
    const process = Bun.spawn([...AS_USER, ...command], { stdio: ['ignore', 'ignore', 'ignore'] })
    process.unref()
    for (let attempt = 0; !(await answers(port)); attempt++) {
      if (attempt > MOST_TRIES || process.exitCode !== null) throw new Error('PgBouncer did not start')
      await Bun.sleep(20)
    }
    return new Pooler(port, home, process)
  }

  get url(): string {
    return `postgres://dhole@127.0.0.1:${this.port}/postgres`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGTERM')
    await this.#process.exited
    rmSync(this.#home, { recursive: true, force: true })
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
