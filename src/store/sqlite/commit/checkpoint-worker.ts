/** Moves the write-ahead log into the database file on a thread of its own, so that its syncs do not hold the event loop. */
import { Database as Client } from 'bun:sqlite'

declare const self: Worker

export type CheckpointRequest = { readonly file: string } | 'stop'
export type CheckpointReply = 'done' | { readonly problem: string }

let client: Client | undefined

self.onmessage = ({ data }: MessageEvent<CheckpointRequest>) => {
  self.postMessage(reply(data))
}

/** Must not throw: an error would end the worker, and the next request would wait for ever. */
function reply(request: CheckpointRequest): CheckpointReply {
  try {
    if (request === 'stop') client?.close()
    else {
      client ??= open(request.file)
      client.query('PRAGMA wal_checkpoint(PASSIVE)').get()
    }
    return 'done'
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

function open(file: string): Client {
  const opened = new Client(file, { create: false, readwrite: true })
  opened.run('PRAGMA busy_timeout = 5000')
  opened.run('PRAGMA synchronous = NORMAL')
  return opened
}
