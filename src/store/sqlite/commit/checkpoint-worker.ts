/** Moves the write-ahead log into the database file, on a thread of its own so that its syncs hold nobody up. */
import { Database as Client } from 'bun:sqlite'

declare const self: Worker

export type CheckpointRequest = { readonly file: string } | 'stop'
/** What came of it. */
export type CheckpointReply = 'done' | { readonly problem: string }

let client: Client | undefined

self.onmessage = ({ data }: MessageEvent<CheckpointRequest>) => {
  self.postMessage(reply(data))
}

/** What is thrown here would end the worker, and whoever asks it next would wait for ever. */
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
