import { expect } from 'bun:test'
import { turns } from '../../support/store.ts'
import { Model } from '../store/model.ts'
import type { Action, StreamPlan, StreamSpec, WriteAction } from './plan.ts'
import { Reader } from './reader.ts'
import type { Service, Write } from './service.ts'

type Told = Map<Reader, { readonly events: number; readonly text: string }>

/** A tree, those who listen to it, and what is done to both. */
export class Scene {
  #service: Service
  readonly #open: () => Promise<Service>
  readonly #readers: Reader[] = []
  /** Those that read now. */
  readonly #live = new Set<Reader>()
  /** Those that are being closed. */
  readonly #leaving = new Set<Reader>()

  private constructor(service: Service, open: () => Promise<Service>) {
    this.#service = service
    this.#open = open
  }

  /** @param open the tree, which may have been open before */
  static async begin(open: () => Promise<Service>): Promise<Scene> {
    return new Scene(await open(), open)
  }

  async play({ list, other, specs, steps }: StreamPlan): Promise<void> {
    await this.#service.write({ kind: 'put', path: [], json: { list, a: other } })
    for (const spec of specs) this.#listen(spec)
    await this.#expectCurrent()
    for (const step of steps) await (step.kind === 'restart' ? this.#restart() : this.#run(step.actions))
    for (const reader of this.#live) reader.goOn()
    await this.#expectCurrent()
    for (const reader of this.#live) await reader.close()
  }

  close(): Promise<void> {
    return this.#service.close()
  }

  #listen(spec: StreamSpec): void {
    const reader = new Reader(spec)
    this.#readers.push(reader)
    this.#live.add(reader)
    reader.open(this.#service, false)
  }

  /** Does everything at once and waits until nothing is under way. */
  async #run(actions: readonly Action[]): Promise<void> {
    const model = await this.#model()
    const requests = actions.map((action) => (action.kind === 'put-existing' ? requestOf(action, model) : action))
    const [only] = requests
    const single = requests.length === 1 && only !== undefined && isWrite(only) ? only : undefined
    const before = single && (await this.#told())
    await Promise.all(
      requests.map((request) => (isWrite(request) ? this.#service.write(request) : this.#stream(request))),
    )
    await this.#expectCurrent()
    if (single !== undefined && before !== undefined) await this.#expectFew(single, before)
  }

  async #restart(): Promise<void> {
    await this.#service.close()
    for (const reader of this.#live) await reader.ended()
    this.#service = await this.#open()
    for (const reader of this.#live) reader.open(this.#service, true)
    await this.#expectCurrent()
  }

  async #expectCurrent(): Promise<void> {
    const current = [...this.#live].filter((reader) => !reader.isPaused)
    for (const reader of current) await reader.expectCurrent(this.#service)
    await turns(3)
    for (const reader of current) await reader.expectCurrent(this.#service)
  }

  async #stream(action: Exclude<Action, WriteAction>): Promise<void> {
    if (action.kind === 'open') {
      this.#listen(action.spec)
      return
    }
    const reader = this.#readers[action.reader % this.#readers.length]
    if (reader === undefined || this.#leaving.has(reader)) return
    switch (action.kind) {
      case 'pause':
        return reader.pause()
      case 'go-on':
        return reader.goOn()
      case 'close':
        return this.#close(reader)
      case 'reopen':
        await this.#close(reader)
        this.#live.add(reader)
        return reader.open(this.#service, action.resume)
      default:
        return action satisfies never
    }
  }

  async #close(reader: Reader): Promise<void> {
    this.#live.delete(reader)
    this.#leaving.add(reader)
    await reader.close()
    this.#leaving.delete(reader)
  }

  /** What each reader of a whole node has been told, and what GET answers it. */
  async #told(): Promise<Told> {
    const told: Told = new Map()
    for (const reader of this.#live) {
      if (reader.isPaused || reader.spec.query !== undefined) continue
      told.set(reader, { events: reader.events, text: await this.#service.get(reader.spec) })
    }
    return told
  }

  /** A commit is one event at the most, and none for those it does not concern. */
  async #expectFew(write: Write, before: Told): Promise<void> {
    for (const [reader, { events, text }] of await this.#told()) {
      const earlier = before.get(reader)
      // A stream that resumes may begin behind the write: it tells what it has missed, also what changes nothing.
      if (earlier === undefined || (reader.resumes && earlier.events === 0)) continue
      const most = concerns(write, reader.spec) || text !== earlier.text ? 1 : 0
      const name = `events of ${JSON.stringify(reader.spec)} after ${JSON.stringify(write).slice(0, 500)}`
      expect(events - earlier.events, name).toBeLessThanOrEqual(most)
    }
  }

  async #model(): Promise<Model> {
    const model = new Model()
    model.put([], JSON.parse(await this.#service.get({ path: [], form: 'export', query: undefined })), 0)
    return model
  }
}

function isWrite(action: Exclude<Action, { kind: 'put-existing' }>): action is Write {
  return action.kind === 'put' || action.kind === 'patch' || action.kind === 'post'
}

function requestOf({ place, last, json }: WriteAction & { kind: 'put-existing' }, model: Model): Write {
  const places = model.paths()
  return { kind: 'put', path: [...(places[place % places.length] ?? []), ...last], json }
}

function covers(path: readonly string[], other: readonly string[]): boolean {
  return path.every((key, depth) => key === other[depth])
}

/** Whether a listener may hear of a write even if nothing is another than before. */
function concerns(write: Write, { path, form }: StreamSpec): boolean {
  if (write.kind !== 'patch')
    return covers(path, write.path) && (form === 'export' || write.path.at(-1) !== '.priority')
  if (covers(path, write.path)) return true
  return Object.keys(write.members).some((key) => {
    const place = [...write.path, ...key.split('/')]
    return place.length > path.length && covers(path, place)
  })
}
