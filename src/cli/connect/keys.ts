import { existsSync } from 'node:fs'
import type { ShownKeys } from '../../admin/administration.ts'
import { readSecret, secretFile, smsKeyFile } from '../../data-folder/secret-file.ts'
import { connectServer, localClient } from './admin-client.ts'
import { databaseOfEnvironment } from './database-settings.ts'

/** Where keys of applications are looked for. */
interface KeyPlace {
  readonly app: string
  readonly dataDir: string
}

/**
 * A key of an application: from its file in the data folder, from the server of the folder, or from the database of the
 * environment.
 * @returns `undefined` when there is none
 * @throws Error when it cannot be read
 */
export async function keyOf(name: keyof ShownKeys, { app, dataDir }: KeyPlace): Promise<string | undefined> {
  const server = databaseOfEnvironment()
  const file = (name === 'secret' ? secretFile : smsKeyFile)(dataDir, app)
  if (server === undefined && existsSync(file)) return readSecret(file)
  const near = await connectServer(dataDir)
  if (near === undefined && server === undefined) return undefined
  await using admin = near ?? (await localClient(dataDir))
  // A server on files has no key that is not in its file.
  if (server === undefined && (await admin.call('state', {})).isInDatabase !== true) return undefined
  return (await admin.call('keys', { id: app }))[name]
}
