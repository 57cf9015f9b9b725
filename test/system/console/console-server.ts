import { connect, socketPath } from '../../../src/admin/control/control-client.ts'
import type { InputOf, ResultOf, ValueName } from '../../../src/admin/operations.ts'
import { runsOnPostgres } from '../../support/engine.ts'
import type { HttpsClient } from '../../support/https-server.ts'
import { databaseSettings } from '../../support/postgres/server-settings.ts'
import { clientOfProcess, type ServerProcess, spawnServer } from '../../support/server-process.ts'

/** A server, requests to it, and operations on it. */
export interface ConsoleServer extends AsyncDisposable, Pick<HttpsClient, 'call' | 'port' | 'ca'> {
  readonly process: ServerProcess
  readonly secret: string
  /** Carries out an operation as the operator. @throws Error with its message */
  admin<Name extends ValueName>(name: Name, input: InputOf<Name>): Promise<ResultOf<Name>>
}

const SECRET = 'the super secret of the tests of the console'

/** Starts a server with one application, `app`. */
export async function startConsole(settings: Readonly<Record<string, string>> = {}): Promise<ConsoleServer> {
  const database = runsOnPostgres() ? databaseSettings() : {}
  const server = await spawnServer({ APP_SECRET: SECRET, LOG_LEVEL: 'error', ...database, ...settings })
  const path = socketPath(server.dataDir)
  const admin = path === undefined ? undefined : await connect(path)
  if (admin === undefined) throw new Error('the server has no socket')
  const { call, port, ca } = await clientOfProcess(server)
  return {
    process: server,
    secret: SECRET,
    call,
    port,
    ca,
    admin: (name, input) => admin.call(name, input),
    [Symbol.asyncDispose]: async () => {
      await admin[Symbol.asyncDispose]()
      await server.stop()
    },
  }
}
