import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AS_USER, giveToUser, NOBODY, programs } from './programs.ts'
import { SmallDisk } from './small-disk.ts'

const PORT = 5432
/** A test process that is killed cannot stop its server. */
const LONGEST_RUN_SECONDS = 2400
const OPTIONS = [
  // In its folder, which goes with it however it ends.
  'dynamic_shared_memory_type=mmap',
  'fsync=on',
  // Without it, a start after a crash flushes each file by itself.
  'recovery_init_sync_method=syncfs',
  'listen_addresses=',
  'max_connections=100',
  'shared_buffers=32MB',
  'max_wal_size=256MB',
  'log_min_messages=panic',
  'timezone=UTC',
]
/** Longest wait for a server to take connections, in tries of 20 ms. */
const MOST_TRIES = 1500

/** Why tests with a PostgreSQL of their own are skipped; `undefined` when they run. For the name of a skipped test. */
export const whyNoOwnPostgres = programs() === undefined ? 'no PostgreSQL is installed' : undefined

export interface OwnedOptions {
  /** Port of 127.0.0.1 that it listens on too. Default: its socket alone. */
  readonly port?: number
  /** Settings in place of those of tests, such as `shared_buffers=1GB`. */
  readonly settings?: readonly string[]
  /** Longest life. Default 2400. */
  readonly seconds?: number
  /** Size of a file system of its own for its files, in megabytes. Default: that of temporary files. */
  readonly diskMegabytes?: number
}

/** A PostgreSQL of a test's own, on durable files, which can be killed, started again and followed by a standby. */
export class OwnedPostgres {
  readonly #folder: string
  readonly #home: string
  readonly #options: OwnedOptions
  #process: Bun.Subprocess | undefined
  #pid = 0
  /** The file system of its own. */
  #disk: SmallDisk | undefined

  private constructor(folder: string, home: string, options: OwnedOptions) {
    this.#folder = folder
    this.#home = home
    this.#options = options
    process.on('exit', this.#end)
  }

  /** Makes a server and starts it. */
  static async create(options: OwnedOptions = {}): Promise<OwnedPostgres> {
    const server = await OwnedPostgres.#empty(options)
    // A new part of its log needs room soon.
    const segments = options.diskMegabytes === undefined ? [] : ['--wal-segsize=1']
    await server.#run(
      'initdb',
      '-D',
      server.#data,
      '-U',
      'dhole',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--no-sync',
      ...segments,
    )
    await server.start()
    return server
  }

  static async #empty(options: OwnedOptions): Promise<OwnedPostgres> {
    const folder = programs()
    if (folder === undefined) throw new Error('no PostgreSQL is installed')
    const home = mkdtempSync(join(tmpdir(), 'dhole-owned-'))
    giveToUser(home)
    const server = new OwnedPostgres(folder, home, options)
    const { diskMegabytes } = options
    if (diskMegabytes === undefined) return server
    mkdirSync(server.#data, { mode: 0o700 })
    server.#disk = await SmallDisk.mount(server.#data, diskMegabytes, NOBODY)
    return server
  }

  /** The file system of its own. @throws Error without one */
  get disk(): SmallDisk {
    if (this.#disk === undefined) throw new Error('it has no file system of its own')
    return this.#disk
  }

  /** Path of its socket. */
  get socket(): string {
    return join(this.#home, `.s.PGSQL.${this.#port}`)
  }

  get url(): string {
    return `postgres://dhole@localhost:${this.#port}/postgres?host=${this.#home}`
  }

  get #port(): number {
    return this.#options.port ?? PORT
  }

  /** Starts it on the files that are there. Resolves when it takes connections. */
  async start(): Promise<void> {
    const { port, settings: own = [], seconds = LONGEST_RUN_SECONDS } = this.#options
    const listens = port === undefined ? [] : ['listen_addresses=127.0.0.1', `port=${port}`]
    const settings = [...OPTIONS, ...listens, ...own].flatMap((option) => ['-c', option])
    const command = ['-D', this.#data, '-c', `unix_socket_directories=${this.#home}`, ...settings]
    const server = Bun.spawn(
      [...this.#through, 'timeout', '--signal=INT', String(seconds), this.#program('postgres'), ...command],
      {
        stdio: ['ignore', 'ignore', 'ignore'],
      },
    )
    server.unref()
    this.#process = server
    for (let attempt = 0; !(await this.#isReady()); attempt++) {
      if (attempt > MOST_TRIES || server.exitCode !== null) throw new Error('PostgreSQL did not start')
      await Bun.sleep(20)
    }
    const [pid] = childrenOf(server.pid)
    if (pid === undefined) throw new Error('PostgreSQL has ended')
    this.#pid = pid
  }

  /** Waits until it takes connections again by itself, and starts it when it has ended instead. */
  async recover(): Promise<void> {
    while (this.#isAlive && !(await this.#isReady())) await Bun.sleep(20)
    if (!this.#isAlive) await this.start()
  }

  /** Ends all of its processes at once, as a crash would. */
  async kill(): Promise<void> {
    // A process that it starts meanwhile would keep the shared memory, which the next start needs.
    signal(this.#pid, 'SIGSTOP')
    while (isRunning(this.#pid)) await Bun.sleep(1)
    const pids = [this.#pid, ...childrenOf(this.#pid)]
    for (const pid of pids) signal(pid, 'SIGKILL')
    await this.#process?.exited
    for (const pid of pids) while (existsSync(`/proc/${pid}`)) await Bun.sleep(2)
    rmSync(this.socket, { force: true })
  }

  /** Ends a process that serves a client, once there is one, so that it starts anew by itself from its log. */
  async crash(): Promise<void> {
    for (let attempt = 0; attempt < MOST_TRIES; attempt++) {
      const serving = childrenOf(this.#pid).find((pid) => /^postgres: dhole /.test(commandOf(pid)))
      if (serving !== undefined) return signal(serving, 'SIGKILL')
      await Bun.sleep(20)
    }
    throw new Error('PostgreSQL serves no client')
  }

  /** Makes another server that follows this one, and waits until every commit waits for it. */
  async follow(options: OwnedOptions = {}): Promise<OwnedPostgres> {
    const standby = await OwnedPostgres.#empty(options)
    mkdirSync(standby.#home, { recursive: true })
    await standby.#run(
      'pg_basebackup',
      '-h',
      this.#home,
      '-p',
      String(this.#port),
      '-U',
      'dhole',
      '-D',
      standby.#data,
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
    )
    await standby.start()
    await this.#sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
    await this.#sql('SELECT pg_reload_conf()')
    await this.#until("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'", '1')
    // What was committed before waits for nobody: it is sent too.
    const place = await this.#sql('SELECT pg_current_wal_lsn()')
    await this.#until(`SELECT count(*) FROM pg_stat_replication WHERE flush_lsn >= '${place}'`, '1')
    return standby
  }

  /** Makes a standby take writes. */
  async promote(): Promise<void> {
    await this.#sql('SELECT pg_promote()')
    await this.#until('SELECT pg_is_in_recovery()', 'f')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('exit', this.#end)
    if (this.#isAlive) await this.kill()
    await this.#disk?.end()
    rmSync(this.#home, { recursive: true, force: true })
  }

  /** Ends it with a test process that fails. */
  readonly #end = (): void => {
    this.#process?.kill('SIGINT')
    rmSync(this.#home, { recursive: true, force: true })
  }

  get #isAlive(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null
  }

  /** What its programs are started through. */
  get #through(): readonly string[] {
    return [...(this.#disk?.through ?? []), ...AS_USER]
  }

  get #data(): string {
    return join(this.#home, 'data')
  }

  #program(name: string): string {
    return join(this.#folder, name)
  }

  async #isReady(): Promise<boolean> {
    if (!existsSync(this.socket)) return false
    const asked = Bun.spawn(
      [...AS_USER, this.#program('pg_isready'), '-q', '-h', this.#home, '-p', String(this.#port)],
      {
        stdio: ['ignore', 'ignore', 'ignore'],
      },
    )
    return (await asked.exited) === 0
  }

  async #until(question: string, answer: string): Promise<void> {
    for (let attempt = 0; (await this.#sql(question)) !== answer; attempt++) {
      if (attempt > MOST_TRIES) throw new Error(`not ${answer}: ${question}`)
      await Bun.sleep(20)
    }
  }

  #sql(text: string): Promise<string> {
    return this.#run('psql', '-h', this.#home, '-p', String(this.#port), '-U', 'dhole', '-d', 'postgres', '-Atc', text)
  }

  async #run(program: string, ...args: readonly string[]): Promise<string> {
    const command = [...this.#through, this.#program(program), ...args]
    const ran = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const [told, complaint, status] = await Promise.all([ran.stdout.text(), ran.stderr.text(), ran.exited])
    if (status !== 0) throw new Error(`${program} failed: ${complaint}`)
    return told.trim()
  }
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter((pid) => statusOf(pid).includes(`\nPPid:\t${parent}\n`))
}

/** Whether it is neither stopped nor ended. */
function isRunning(pid: number): boolean {
  return /^State:\t[^TZX]/m.test(statusOf(pid))
}

function statusOf(pid: number): string {
  return read(`/proc/${pid}/status`)
}

function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself.
  }
}
