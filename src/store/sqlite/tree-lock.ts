import { Database as Client } from 'bun:sqlite'

/**
 * Two processes on one file would each believe their own caches. An exclusive transaction on a file beside it is a
 * lock that the system takes back when the process dies.
 * @throws Error when another process has it
 */
export function lockFile(file: string): Client {
  const lock = new Client(`${file}-lock`, { create: true, readwrite: true })
  try {
    lock.run('PRAGMA journal_mode = MEMORY')
    lock.run('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    throw new Error(`${file} is in use by another process`, { cause })
  }
  return lock
}
