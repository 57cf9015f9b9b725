import type { Connection } from './connection.ts'

/** Connections whose log could not be synced. */
const leftOpen = new Set<Connection>()

/** Keeps a connection open until the process ends: closing it would move a log of which the disk may have anything. */
export function leaveOpen(writer: Connection): void {
  leftOpen.add(writer)
}

/** Moves the log into the file and closes the writer. If the log cannot be moved, the next process to open the file does it. */
export function closeWriter(writer: Connection, onError: (error: unknown) => void): void {
  try {
    // Does not wait for another process that reads, such as a backup or a doctor: then the log stays.
    writer.client.run('PRAGMA busy_timeout = 0')
    writer.client.run('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    onError(error)
  }
  writer.client.close()
}
