import { AdminClient, localTransport } from '../../admin/admin-client.ts'
import { connect, socketPath } from '../../admin/control/control-client.ts'
import { databaseOfEnvironment } from './database-settings.ts'
import { LocalTarget } from './local-target.ts'

/** Connects to the server of a data folder; `undefined` without a server. @throws Error when the server does not reply */
export async function connectServer(dataDir: string): Promise<AdminClient | undefined> {
  const path = socketPath(dataDir)
  return path === undefined ? undefined : await connect(path)
}

/**
 * Admin operations through the server of a data folder. When no server runs, on the database of the environment, or else on
 * the files of the folder. To be disposed: that closes them.
 * @throws Error when the server does not reply
 */
export async function connectAdmin(dataDir: string): Promise<AdminClient> {
  if (socketPath(dataDir) === undefined && databaseOfEnvironment() === undefined) {
    process.stderr.write(
      'dhole: the path of the folder is too long to reach a server: a running one must be restarted\n',
    )
  }
  return (await connectServer(dataDir)) ?? (await localClient(dataDir))
}

/** Admin operations on the database of the environment, or on the files of a data folder. To be disposed. */
export async function localClient(dataDir: string): Promise<AdminClient> {
  const target = await localTarget(dataDir)
  return new AdminClient(localTransport(target, () => target[Symbol.asyncDispose]()))
}

async function localTarget(dataDir: string): Promise<LocalTarget> {
  const server = databaseOfEnvironment()
  if (server === undefined) return new LocalTarget(dataDir)
  // Loaded on demand: commands on files need none of it.
  const { DatabaseTarget } = await import('./database-target.ts')
  return new LocalTarget(dataDir, new DatabaseTarget(server))
}
