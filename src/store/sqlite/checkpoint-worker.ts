/** Moves the write-ahead log into the database file, on a thread of its own so that its syncs hold nobody up. */
import { Database as Client } from 'bun:sqlite'

declare const self: Worker

export type CheckpointRequest = { readonly file: string } | 'stop'
let client: Client | undefined

self.onmessage = ({ data }: MessageEvent<CheckpointRequest>) => {
  if (data === 'stop') client?.close()
  else {
    client ??= open(data.file)
    client.query('PRAGMA wal_checkpoint(PASSIVE)').get()
  }
  self.postMessage('done')
}

function open(file: string): Client {
  const opened = new Client(file, { create: false, readwrite: true })
  opened.run('PRAGMA busy_timeout = 5000')
  opened.run('PRAGMA synchronous = NORMAL')
  return opened
}
