import type { Database } from '../database/database.ts'

/** Whether requests can be answered: `storage` when a tree cannot be read or written, `slow` when the check takes too long. */
export type Readiness = 'ready' | 'stopping' | 'storage' | 'slow'

/** Time after which a storage check counts as slow. */
const CHECK_TIMEOUT_MS = 3000

/** @param databases `undefined` where the files of one are being replaced */
export async function storageReadiness(databases: readonly (Database | undefined)[]): Promise<Readiness> {
  if (databases.includes(undefined)) return 'storage'
  const checks = Promise.all(databases.map((database) => database?.check()))
  const { promise: timeout, resolve } = Promise.withResolvers<Readiness>()
  const timer = setTimeout(() => resolve('slow'), CHECK_TIMEOUT_MS)
  const outcome = checks.then(
    (): Readiness => 'ready',
    (): Readiness => 'storage',
  )
  try {
    return await Promise.race([outcome, timeout])
  } finally {
    clearTimeout(timer)
  }
}
