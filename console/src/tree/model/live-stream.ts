import { signal } from '@preact/signals'
import { CallError, errorOf } from '../../shell/call-error.ts'
import { EventTooLong, readEvents, type ServerEvent } from '../../shell/event-reader.ts'
import { keysOf, type TreeClient } from '../../shell/tree-client.ts'
import type { Change } from './apply-change.ts'

/** Longest event that is read, in UTF-16 code units; after a longer one the view is asked for anew. */
const LONGEST_EVENT = 2 * 1024 * 1024
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 10_000

/** What a live view does now. `refused`: it may not listen here. */
export type LiveState = 'connecting' | 'live' | 'paused' | 'waiting' | 'refused'

export interface LiveOptions {
  /** Called for each changed place, in the order of the commits. */
  readonly onChange: (change: Change) => void
  /** Changes may have been missed: all that is shown must be asked for anew. */
  readonly onGap: () => void
}

/**
 * Tells what changes at and below a node, without reading the node: the stream resumes at the latest commit, which a stream
 * of a place where nothing is has told before.
 */
export class LiveStream {
  readonly state = signal<LiveState>('connecting')
  /** Why it is refused, or waits. */
  readonly reason = signal('')
  readonly #client: TreeClient
  readonly #path: readonly string[]
  readonly #options: LiveOptions
  #control = new AbortController()
  #lastId: string | undefined
  #wait = FIRST_WAIT_MS
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(client: TreeClient, path: readonly string[], options: LiveOptions) {
    this.#client = client
    this.#path = path
    this.#options = options
    void this.#run()
  }

  pause(): void {
    this.#end()
    this.state.value = 'paused'
  }

  /** Goes on after a pause: what was missed is told, or asked for anew. */
  resume(): void {
    if (this.state.value !== 'paused') return
    this.state.value = 'connecting'
    void this.#run()
  }

  stop(): void {
    this.#end()
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#control.abort()
    this.#control = new AbortController()
  }

  async #run(): Promise<void> {
    const { signal: over } = this.#control
    try {
      this.#lastId ??= await this.#latestId(over)
      const reply = await this.#open(this.#path, this.#lastId, over)
      this.state.value = 'live'
      this.#wait = FIRST_WAIT_MS
      this.#options.onGap()
      await readEvents(reply, LONGEST_EVENT, (event) => this.#take(event, over))
      if (!over.aborted) this.#later(0)
    } catch (thrown) {
      if (!over.aborted) this.#failed(thrown)
    }
  }

  #failed(thrown: unknown): void {
    this.reason.value = thrown instanceof Error ? thrown.message : String(thrown)
    // From the latest commit on: what was too long is read by pages.
    if (thrown instanceof EventTooLong) this.#lastId = undefined
    const status = thrown instanceof CallError ? thrown.status : 0
    if (status >= 400 && status < 500 && status !== 429) {
      if (status === 401 && this.#client.seenAs === '') this.#client.forgetToken()
      else {
        this.state.value = 'refused'
        return
      }
    }
    this.state.value = 'waiting'
    this.#later(this.#wait)
    this.#wait = Math.min(LONGEST_WAIT_MS, this.#wait * 2)
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#run(), ms)
  }

  async #open(path: readonly string[], id: string | undefined, over: AbortSignal) {
    const reply = await this.#client.ask(path, {
      headers: { Accept: 'text/event-stream', ...(id === undefined ? {} : { 'Last-Event-ID': id }) },
      parameters: { format: 'export', resume: 'true' },
      signal: over,
    })
    if (reply.body === null) throw await errorOf(reply)
    return reply.body
  }

  /** Id of the latest commit, from the first event of a stream of a place where nothing is. */
  async #latestId(over: AbortSignal): Promise<string | undefined> {
    const body = await this.#open([...this.#path, `-${crypto.randomUUID()}`], undefined, over)
    let id: string | undefined
    const first = new AbortController()
    await readEvents(body.pipeThrough(new TransformStream(), { signal: first.signal }), LONGEST_EVENT, (event) => {
      id ??= event.id
      first.abort()
    }).catch((thrown) => {
      if (!first.signal.aborted) throw thrown
    })
    return id
  }

  #take({ event, data, id }: ServerEvent, over: AbortSignal): void {
    if (over.aborted) return
    this.#lastId = id ?? this.#lastId
    if (event === 'put') {
      const { path, data: value } = JSON.parse(data) as { readonly path: string; readonly data: unknown }
      this.#options.onChange({ path: [...this.#path, ...keysOf(path)], data: value })
    } else if (event === 'patch') {
      const { path, data: members } = JSON.parse(data) as { readonly path: string; readonly data: object }
      const base = [...this.#path, ...keysOf(path)]
      for (const [place, value] of Object.entries(members)) {
        this.#options.onChange({ path: [...base, ...keysOf(place)], data: value })
      }
    } else if (event === 'auth_revoked') {
      this.#client.forgetToken()
    } else if (event === 'cancel') {
      throw new CallError(403, data)
    }
  }
}
