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
  /** Whether it reads the list, or has read it: then the snapshot may lack later commits. */
  readonly hasBegun: boolean
  /** Asks for one more batch. */
  more(): void
  /** Ends the work. Resolves when the file is closed. */
  stop(): Promise<void>
}

/** Starts to read a file of a tree. */
export type OpenEntrySource = (file: string, list: IndexedList, receiver: EntryReceiver) => EntrySource

/** Workers of this process at a time, whatever number of trees is sorted: each takes a thread and memory. */
const MAX_WORKERS = 2

let running = 0
const waiting = new Set<SortWorker>()

/** Reads and sorts with a worker, as soon as there is one to spare. */
export const sortInWorker: OpenEntrySource = (file, { listId, path, covering }, receiver) =>
  new SortWorker((stopped) => ({ file, listId, path, covering, stopped }), receiver)

class SortWorker implements EntrySource {
  readonly #request: SortRequest
  readonly #receiver: EntryReceiver
  readonly #stopped = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  readonly #ended = Promise.withResolvers<void>()
  #hasEnded = false
  #worker: Worker | undefined
  /** Batches that were asked for before it has begun. */
  #asked = 0

  constructor(request: (stopped: Int32Array) => SortRequest, receiver: EntryReceiver) {
    this.#request = request(this.#stopped)
    this.#receiver = receiver
    if (running < MAX_WORKERS) this.#begin()
    else waiting.add(this)
  }

  get hasBegun(): boolean {
    return this.#worker !== undefined
  }

  more(): void {
    if (this.#worker === undefined) this.#asked++
    else this.#send('more')
  }

  async stop(): Promise<void> {
    if (waiting.delete(this)) return
    if (this.#hasEnded) return
    Atomics.store(this.#stopped, 0, 1)
    this.#send('stop')
    await this.#ended.promise
  }

  #begin(): void {
    running++
    try {
      const worker = new Worker(shippedWorker('src/store/sqlite/indexes/building/entry-worker.ts'))
      worker.onmessage = ({ data }: MessageEvent<SortReply>) => this.#receive(data)
      worker.onerror = ({ message }) => this.#fail(message)
      worker.addEventListener('close', () => this.#fail('the worker has ended'))
      this.#worker = worker
      this.#send(this.#request)
      for (; this.#asked > 0; this.#asked--) this.#send('more')
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error))
    }
  }

  #send(message: SortRequest | BatchRequest): void {
    this.#worker?.postMessage(message)
  }

  #receive(reply: SortReply): void {
    if (reply === 'ended') this.#end()
    else if ('pinned' in reply) this.#receiver.pinned(reply.pinned)
    else if ('problem' in reply) this.#receiver.failed(problemOf(reply.problem))
    else this.#receiver.received(reply)
  }

  /** The worker is gone. */
  #fail(problem: string): void {
    if (this.#hasEnded) return
    this.#end()
    this.#receiver.failed(problemOf(problem))
  }

  /** Hands the place on. */
  #end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#ended.resolve()
    this.#worker?.terminate()
    running--
    const [next] = waiting
    if (next === undefined) return
    waiting.delete(next)
    next.#begin()
  }
}

function problemOf(problem: string): Error {
  return new Error(`cannot sort the entries of an index: ${problem}`)
}
