import { AdminClient, localTransport } from '../../admin/admin-client.ts'
import { connect, socketPath } from '../../admin/control/control-client.ts'
import { LocalTarget } from './local-target.ts'

/** Connects to the server of a data folder; `undefined` without a server. @throws Error when the server does not reply */
export async function connectServer(dataDir: string): Promise<AdminClient | undefined> {
  const path = socketPath(dataDir)
  return path === undefined ? undefined : await connect(path)
}

/**
 * Admin operations through the server of a data folder, or on its files when no server runs. To be disposed: that
 * closes the files.
 * @throws Error when the server does not reply
 */
export async function connectAdmin(dataDir: string): Promise<AdminClient> {
  if (socketPath(dataDir) === undefined) {
    process.stderr.write(
      'dhole: the path of the folder is too long to reach a server: a running one must be restarted\n',
    )
  }
  return (await connectServer(dataDir)) ?? localClient(dataDir)
}

/** Admin operations on the files of a data folder. To be disposed: that closes the files. */
export function localClient(dataDir: string): AdminClient {
  const target = new LocalTarget(dataDir)
  return new AdminClient(localTransport(target, () => target[Symbol.asyncDispose]()))
}
