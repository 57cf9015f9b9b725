import { afterAll, beforeAll } from 'bun:test'
import { type CommandResult, runDhole, shownKeys } from '../../support/dhole-command.ts'
import type { HttpsClient } from '../../support/https-server.ts'
import { databaseSettings } from '../../support/postgres/server-settings.ts'
import { clientOfProcess, type ServerProcess, spawnServer } from '../../support/server-process.ts'

/** A server process and how to speak to it. */
export interface DatabaseServer extends HttpsClient {
  readonly process: ServerProcess
}

/** Two servers on one new installation, each with a folder of its own. They run during tests and hooks. */
export interface TwoServers {
  readonly one: DatabaseServer
  readonly two: DatabaseServer
  readonly settings: Readonly<Record<string, string>>
  /** Runs a command on the database, without a server. */
  direct(...args: readonly string[]): Promise<CommandResult>
  /** Runs a command through the first server, which alone knows the database. */
  throughOne(...args: readonly string[]): Promise<CommandResult>
  /** Registers an application. @returns its keys */
  add(id: string, ...flags: readonly string[]): Promise<{ readonly secret: string; readonly smsKey: string }>
}

/** Starts both at once before the tests of a file or `describe`. */
export function withTwoServers(more: Readonly<Record<string, string>> = {}): TwoServers {
  let servers: readonly DatabaseServer[] = []
  let settings: Record<string, string> = {}
  const server = (at: number): DatabaseServer => {
    const found = servers[at]
    if (found === undefined) throw new Error('the servers run during tests and hooks only')
    return found
  }
  beforeAll(async () => {
    settings = { ...databaseSettings(), ...more }
    servers = await Promise.all([startOn(settings), startOn(settings)])
  })
  afterAll(async () => {
    await Promise.all(servers.map(({ process }) => process.stop()))
  })
  const direct: TwoServers['direct'] = (...args) => runDhole([...args, '--data-dir', '/nonexistent'], settings)
  return {
    get one() {
      return server(0)
    },
    get two() {
      return server(1)
    },
    get settings() {
      return settings
    },
    direct,
    throughOne: (...args) => runDhole([...args, '--data-dir', server(0).process.dataDir]),
    add: async (id, ...flags) => {
      const { status, stdout, stderr } = await direct('apps', 'add', id, ...flags)
      const [secret, smsKey] = shownKeys(stdout)
      if (status !== 0 || secret === undefined || smsKey === undefined) throw new Error(`apps add ${id}: ${stderr}`)
      return { secret, smsKey }
    },
  }
}

/** A server on a database. */
export async function startOn(settings: Readonly<Record<string, string>>): Promise<DatabaseServer> {
  const process = await spawnServer(settings)
  return { process, ...(await clientOfProcess(process)) }
}

/** The key that `apps rotate` shows. */
export function rotated({ status, stdout, stderr }: CommandResult): string {
  const [key] = shownKeys(stdout)
  if (status !== 0 || key === undefined) throw new Error(`apps rotate: ${stderr}`)
  return key
}
