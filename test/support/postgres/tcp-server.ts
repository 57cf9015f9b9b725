import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { certificateFor } from '../certificates.ts'
import { AS_USER, giveToUser, programs } from './programs.ts'

const OWNER = 'owner'
const PASSWORD = 'of the owner'
/** A test process that is killed cannot stop its server. */
const LONGEST_RUN = '600'
const OPTIONS = [
  'dynamic_shared_memory_type=mmap',
  'shared_buffers=32MB',
  'max_connections=50',
  'log_min_messages=panic',
  'timezone=UTC',
  'ssl=on',
]
/** Longest wait for a server to take connections, in tries of 20 ms. */
const MOST_TRIES = 1500

/** A PostgreSQL of a test's own on a TCP port, with passwords and TLS, which can be stopped as by a crash. */
export class TcpPostgres {
  readonly #folder: string
  readonly #home: string
  readonly port: number
  /** PEM file to trust. */
  readonly certificate: string
  #process: Bun.Subprocess | undefined

  private constructor(folder: string, home: string, port: number) {
    this.#folder = folder
    this.#home = home
    this.port = port
    this.certificate = join(home, 'certificate.pem')
  }

  /** Makes a server and starts it. @throws Error where no PostgreSQL is installed */
  static async create(): Promise<TcpPostgres> {
    const folder = programs()
    if (folder === undefined) throw new Error('no PostgreSQL is installed')
    const home = mkdtempSync(join(tmpdir(), 'dhole-tcp-'))
    giveToUser(home)
    const server = new TcpPostgres(folder, home, freePort())
    await server.#init()
    await server.start()
    return server
  }

  /** Address for the superuser, or for another user of the database. */
  url(user = OWNER, password = PASSWORD, database = 'postgres'): string {
    return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${this.port}/${database}`
  }

  /** Runs statements as the superuser. */
  async sql(...statements: readonly string[]): Promise<void> {
    const client = new SQL(this.url(), { max: 1, tls: false })
    try {
      for (const statement of statements) await client.unsafe(statement)
    } finally {
      await client.close({ timeout: 0 })
    }
  }

  /** Starts it on the files that are there. Resolves when it takes connections. */
  async start(): Promise<void> {
    const settings = [
      ...OPTIONS,
      'listen_addresses=127.0.0.1',
      `port=${this.port}`,
      `unix_socket_directories=${this.#home}`,
      `ssl_cert_file=${this.certificate}`,
      `ssl_key_file=${join(this.#home, 'key.pem')}`,
    ].flatMap((option) => ['-c', option])
    const command = [join(this.#folder, 'postgres'), '-D', join(this.#home, 'data'), ...settings]
    const server = Bun.spawn([...AS_USER, 'timeout', '--foreground', '--signal=INT', LONGEST_RUN, ...command], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    server.unref()
    this.#process = server
    for (let attempt = 0; !(await this.#isReady()); attempt++) {
      if (attempt > MOST_TRIES || server.exitCode !== null) throw new Error('PostgreSQL did not start')
      await Bun.sleep(20)
    }
  }

  /** Ends it at once: the next start recovers it as after a crash. */
  async crash(): Promise<void> {
    this.#process?.kill('SIGQUIT')
    await this.#process?.exited
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.crash()
    rmSync(this.#home, { recursive: true, force: true })
  }

  async #init(): Promise<void> {
    const { cert, key } = await certificateFor()
    for (const [name, text] of [
      ['certificate.pem', cert],
      ['key.pem', key],
      ['password', PASSWORD],
    ] as const) {
      const file = join(this.#home, name)
      writeFileSync(file, text)
      chmodSync(file, 0o600)
      giveToUser(file)
    }
    // What is only read by the test may be read by all.
    chmodSync(this.#home, 0o755)
    const names = ['-U', OWNER, '-A', 'scram-sha-256', `--pwfile=${join(this.#home, 'password')}`, '-E', 'UTF8']
    const init = [join(this.#folder, 'initdb'), '-D', join(this.#home, 'data'), ...names, '--no-sync']
    const { exitCode, stderr } = Bun.spawnSync([...AS_USER, ...init])
    if (exitCode !== 0) throw new Error(`initdb failed: ${stderr}`)
  }

  async #isReady(): Promise<boolean> {
    const asked = Bun.spawn([join(this.#folder, 'pg_isready'), '-q', '-h', '127.0.0.1', '-p', String(this.port)])
    return (await asked.exited) === 0
  }
}

/** A port of 127.0.0.1 that nothing listens on. */
export function freePort(): number {
  const taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = taken
  taken.stop(true)
  return port
}
