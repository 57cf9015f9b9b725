import type { AdminClient } from '../../admin/admin-client.ts'
import { connectAdmin } from './admin-client.ts'
import { databaseOfEnvironment } from './database-settings.ts'

/**
 * Admin operations for a command that copies files of a data folder; see `connectAdmin`.
 * @throws Error when the applications are on a database server
 */
export async function connectFiles(dataDir: string): Promise<AdminClient> {
  const admin = databaseOfEnvironment() === undefined ? await connectAdmin(dataDir) : undefined
  if (admin !== undefined && (await admin.call('state', {})).isInDatabase !== true) return admin
  await admin?.[Symbol.asyncDispose]()
  throw new Error('the applications are on a database server: use pg_dump or pg_basebackup, and their tools to restore')
}
