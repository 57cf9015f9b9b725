import { shippedWorker } from '../../../../files/shipped-file.ts'
import type { EntryBatch, IndexedList } from './child-entries.ts'
import type { BatchRequest, SortReply, SortRequest } from './entry-worker.ts'

/** What the reader of the entries of a list calls back. */
export interface EntryReceiver {
  /** The entries are those of a snapshot. @param seq number of its last commit */
  pinned(seq: number): void
  received(batch: EntryBatch): void
  failed(error: Error): void
}

/** Reads and sorts the entries of a list. The first batch comes by itself. */
export interface EntrySource {
  /** Asks for one more batch. */
  more(): void
  /** Ends the work. Resolves when the file is closed. */
  stop(): Promise<void>
}

/** Starts to read a file of a tree. */
export type OpenEntrySource = (file: string, list: IndexedList, receiver: EntryReceiver) => EntrySource

/** Reads and sorts with a worker. */
export const sortInWorker: OpenEntrySource = (file, { listId, path }, receiver) => {
  const worker = new Worker(shippedWorker('src/store/sqlite/indexes/building/entry-worker.ts'))
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const stopped = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const send = (message: SortRequest | BatchRequest) => worker.postMessage(message)
  worker.onmessage = ({ data }: MessageEvent<SortReply>) => {
    if (data === 'ended') end()
    else if ('pinned' in data) receiver.pinned(data.pinned)
    else if ('problem' in data) receiver.failed(new Error(`cannot sort the entries of an index: ${data.problem}`))
    else receiver.received(data)
  }
  worker.onerror = ({ message }) => {
    end()
    receiver.failed(new Error(`cannot sort the entries of an index: ${message}`))
  }
  send({ file, listId, path, stopped })
  return {
    more: () => send('more'),
    stop: async () => {
      Atomics.store(stopped, 0, 1)
      send('stop')
      await ended
      worker.terminate()
    },
  }
}
