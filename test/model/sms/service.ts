import { Database as Client } from 'bun:sqlite'
import { join } from 'node:path'
import { SmsClient } from '../../protocol/sms/calls.ts'
import { SMS_KEY } from '../../protocol/sms/service.ts'
import { runDhole } from '../../support/dhole-command.ts'
import type { Listening } from '../../support/event-source.ts'
import { clientOfProcess, type ServerProcess, spawnServer } from '../../support/server-process.ts'
import type { End } from './plan.ts'

/** A message as an export has it. */
export interface Exported {
  readonly rrid: string
  readonly mobile: string
  readonly status: number
  readonly deliveryStatus: string
  readonly receiveTime?: string
  readonly producedAt?: string
  readonly returnedAt?: string
}

/** The server on one folder: one process after the other. */
export class Service {
  readonly #dataDir: string
  #process: ServerProcess
  #listening: Listening
  #client: SmsClient
  #isEnding = false

  private constructor(dataDir: string, process: ServerProcess, listening: Listening, client: SmsClient) {
    this.#dataDir = dataDir
    this.#process = process
    this.#listening = listening
    this.#client = client
  }

  static async start(dataDir: string): Promise<Service> {
    return new Service(dataDir, ...(await startIn(dataDir)))
  }

  /** Where it listens now. */
  get listening(): Listening {
    return this.#listening
  }

  /** Speaks for the application, and expects to be understood. */
  get client(): SmsClient {
    return this.#client
  }

  /** Kills the process, or tells it to stop. Does not wait. */
  end(how: End['how']): void {
    this.#isEnding = true
    this.#process.kill(how === 'kill' ? 'SIGKILL' : 'SIGTERM')
  }

  /** Waits until the process has ended. @throws Error when it has complained, or not ended well after a stop */
  async ended(how: End['how']): Promise<void> {
    const status = await this.#process.exited
    if (how === 'stop' && status !== 0) throw new Error(`ended with status ${status}:\n${this.#process.output()}`)
    this.#expectNoComplaint()
  }

  /** The next process. */
  async startAgain(): Promise<void> {
    this.#isEnding = false
    ;[this.#process, this.#listening, this.#client] = await startIn(this.#dataDir)
  }

  /** Ends the process, whatever it does. */
  async drop(): Promise<void> {
    if (!this.#isEnding) this.end('kill')
    await this.#process.exited
  }

  /** All messages. */
  async export(): Promise<readonly Exported[]> {
    const text = await this.#command('export', '--format', 'ndjson')
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Exported)
  }

  /** Messages by state, reports by what became of them. */
  async counts(): Promise<Readonly<Record<string, number>>> {
    return JSON.parse(await this.#command('counts', '--json')) as Record<string, number>
  }

  /** What is wrong with the file, when no process has it open. */
  fileProblems(): readonly unknown[] {
    const file = new Client(join(this.#dataDir, 'apps', 'app.sqlite'))
    try {
      return file.query('PRAGMA integrity_check').values().flat()
    } finally {
      file.close()
    }
  }

  async #command(...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await runDhole(['sms', ...args, '--data-dir', this.#dataDir])
    if (status !== 0) throw new Error(`sms ${args.join(' ')}: ${stderr}`)
    return stdout
  }

  /**
   * A line of the log is an object; those of the level `error` and above have no place here. Only a request that comes
   * over a connection of before while the server stops may be answered 503.
   */
  #expectNoComplaint(): void {
    const [running = '', stopping = ''] = this.#process.output().split('"msg":"stopping"')
    const complaints = [running, stopping.replaceAll(/^.*"status":503,.*$/gm, '')].flatMap(
      (lines) => /^\{"level":[56]0.*$/m.exec(lines) ?? [],
    )
    if (complaints.length > 0) throw new Error(`the server complains: ${complaints[0]}`)
  }
}

async function startIn(dataDir: string): Promise<[ServerProcess, Listening, SmsClient]> {
  const server = await spawnServer({ DATA_DIR: dataDir, SMS_KEY, SMS_INTERVAL_MS: '0' })
  const { port, ca, call } = await clientOfProcess(server)
  return [server, { port, ca }, new SmsClient(call)]
}
