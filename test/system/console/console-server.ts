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
  /** Secret of the operator. */
  readonly operator: string
  /**
   * Carries out an operation over HTTPS.
   * @param credential default: the secret of the operator
   * @throws Error with the status and the message of the answer
   */
  admin<Name extends ValueName>(name: Name, input: InputOf<Name>, credential?: string): Promise<ResultOf<Name>>
  /** Carries out an operation over the control socket, as commands on its machine do. */
  local<Name extends ValueName>(name: Name, input: InputOf<Name>): Promise<ResultOf<Name>>
}

const SECRET = 'the super secret of the tests of the console'
const OPERATOR = 'the secret of the operator in the tests of the console'

/** Starts a server with one application, `app`. */
export async function startConsole(settings: Readonly<Record<string, string>> = {}): Promise<ConsoleServer> {
  const database = runsOnPostgres() ? databaseSettings() : {}
  const own = { APP_SECRET: SECRET, OPERATOR_SECRET: OPERATOR, LOG_LEVEL: 'error' }
  const server = await spawnServer({ ...own, ...database, ...settings })
  const { call, port, ca } = await clientOfProcess(server)
  return {
    process: server,
    secret: SECRET,
    operator: OPERATOR,
    call,
    port,
    ca,
    admin: async (name, input, credential = OPERATOR) => {
      const headers = { Authorization: `Bearer ${credential}` }
      const reply = await call('POST', `/.admin/operations/${name}`, { headers, body: JSON.stringify(input) })
      const answer = JSON.parse(reply.text)
      if (reply.status === 200) return answer.result
      throw new Error(`${reply.status} ${answer.message ?? answer.error}`)
    },
    local: async (name, input) => {
      await using client = await connect(socketPath(server.dataDir) ?? '')
      if (client === undefined) throw new Error('the server has no socket')
      return await client.call(name, input)
    },
    [Symbol.asyncDispose]: () => server.stop(),
  }
}
