import { readEventId } from '../../../support/event-id.ts'
import { EventSource } from '../../../support/event-source.ts'
import { SECRET } from '../../../support/https-server.ts'
import type { Random } from '../../crash/random.ts'
import type { Server } from './sender.ts'

/** Longest wait for the head of an answer, in milliseconds. */
const OPENING_MS = 3000
const MOST_EVENTS = 200

/** An event that tells of data. */
export interface Told {
  /** The same for all of one history. */
  readonly tree: string
  readonly seq: number
  readonly kind: 'put' | 'patch'
  readonly path: string
  readonly data: unknown
}

/** Listens to one place, now on this process and now on that, and goes on where it was each time. */
export class Listener {
  readonly place: string
  readonly told: Told[] = []
  readonly problems: string[] = []
  /** How often it went on. */
  resumed = 0
  readonly #random: Random
  readonly #any: () => Server
  #lastId: string | undefined
  #source: EventSource | undefined
  #isStopping = false
  #running: Promise<void> | undefined

  constructor(place: string, random: Random, any: () => Server) {
    this.place = place
    this.#random = random
    this.#any = any
  }

  start(): void {
    this.#running = this.#run()
  }

  /** Number of the last commit that it was told of. */
  get lastSeq(): number {
    return this.told.at(-1)?.seq ?? 0
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#source?.close()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const source = await this.#open()
      if (source === undefined) await Bun.sleep(20)
      else await this.#read(source)
    }
  }

  async #open(): Promise<EventSource | undefined> {
    const target = `${this.place}.json?resume=true&auth=${encodeURIComponent(SECRET)}`
    const headers = this.#lastId === undefined ? {} : { 'Last-Event-ID': this.#lastId }
    const opening = EventSource.open(this.#any(), target, { headers })
    const late = Promise.withResolvers<undefined>()
    const timer = setTimeout(late.resolve, OPENING_MS)
    const source = await Promise.race([opening, late.promise]).catch(() => undefined)
    clearTimeout(timer)
    if (source === undefined) {
      opening.then((opened) => opened.close()).catch(() => {})
      return undefined
    }
    if (source.status === 200) return source
    if (source.status !== 503) this.problems.push(`answered ${source.status}`)
    await source.close()
    return undefined
  }

  /** Reads so many events, or until the stream ends. */
  async #read(source: EventSource): Promise<void> {
    this.#source = source
    if (this.#isStopping) await source.close()
    if (this.#lastId !== undefined) this.resumed++
    const most = 1 + this.#random.below(MOST_EVENTS)
    for (let count = 0; count < most; count++) {
      const event = await source.nextMessage()
      if (event === undefined) break
      if (event.id === undefined) continue
      const { tree, seq } = readEventId(event.id)
      const { path, data } = JSON.parse(event.text) as { path: string; data: unknown }
      this.told.push({ tree, seq, kind: event.name === 'patch' ? 'patch' : 'put', path, data })
      this.#lastId = event.id
    }
    await source.close()
  }
}
