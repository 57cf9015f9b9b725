import fc from 'fast-check'
import { RuleCache } from '../../../../src/database/access/rule-cache.ts'
import { RulesInForce } from '../../../../src/database/access/rules-in-force.ts'
import type { Database } from '../../../../src/database/database.ts'
import type { WatchOptions } from '../../../../src/database/read-types.ts'
import { Streams } from '../../../../src/database/streams/streams.ts'
import type { Listen } from '../../../../src/http/sdk/session/listen.ts'
import type { Answer } from '../../../../src/http/sdk/session/messages.ts'
import { Requests } from '../../../../src/http/sdk/session/requests.ts'
import { MailboxBound } from '../../../../src/hub/mailbox.ts'
import type { EndReason, Sink } from '../../../../src/hub/sink.ts'
import { drain } from '../../../../src/scheduling/steps.ts'
import { TextHasher } from '../../../../src/tree/hash/text-hasher.ts'
import { joined } from '../../../../src/tree/json/text-pieces.ts'
import { type Path, parsePath } from '../../../../src/tree/path.ts'
import { type Value, valueAt } from '../../../../src/tree/value.ts'
import { StreamCache } from '../../../support/stream-cache.ts'
import { PlannedStore, type PlannedWrite } from '../../streams/planned-store.ts'

/** Nodes above, at and below each other. */
const PATHS = ['/', '/a', '/a/b', '/a/b/c', '/d']
const LIMIT = { maxLength: 10_000, timeoutMs: 10_000 }
const MAY_READ = '{"rules":{".read":true}}'

const leaf = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 9 }) },
  { weight: 1, arbitrary: fc.constant(null) },
)
const write: fc.Arbitrary<PlannedWrite> = fc.oneof(
  fc.tuple(fc.constantFrom('a', 'a/b', 'a/b/c', 'a/x', 'd', 'd/y'), leaf).map(([path, value]) => ({ [path]: value })),
  fc.tuple(leaf, leaf).map(([c, x]) => ({ a: { b: { c }, x } })),
  fc.tuple(leaf, leaf).map(([c, y]) => ({ 'a/b/c': c, 'd/y': y })),
)
const request = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      action: fc.constant('q' as const),
      path: fc.constantFrom(...PATHS),
      /** Whether the client sends the hash of what it has. */
      knows: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ action: fc.constant('n' as const), path: fc.constantFrom(...PATHS) }) },
  { weight: 1, arbitrary: fc.record({ action: fc.constant('g' as const), path: fc.constantFrom(...PATHS) }) },
  // It waits until all listens have sent what is committed.
  { weight: 1, arbitrary: fc.record({ action: fc.constant('reported' as const), path: fc.constantFrom(...PATHS) }) },
)

/** What happens to the listens of one connection, and in which order. */
export const scene = fc.record({
  first: write,
  requests: fc.array(request, { minLength: 2, maxLength: 8 }),
  commits: fc.array(fc.array(write, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
  /** What may wait for the connection, and how much of it is delivered at a time. */
  waiting: fc.record({
    maxWaiting: fc.constantFrom(150, 1000, 10_000),
    pieceLength: fc.constantFrom(1, 100, 10_000),
  }),
  slow: fc.infiniteStream(fc.boolean()),
  full: fc.infiniteStream(fc.boolean()),
  /** Whether a step of a publication ends its turn. */
  publishes: fc.infiniteStream(fc.boolean()),
  scheduler: fc.scheduler(),
})

type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never

/** More than any plan delivers at the end. */
const MOST_PIECES = 60

/** A connection that holds what it is told, as SDKs do: by the path of a message, for all default listens. */
class Client {
  readonly id = 'client'
  readonly bound: MailboxBound
  readonly streams = { add: () => 1, delete() {} }
  readonly applicationId = 'app'
  readonly address = undefined
  readonly uid = undefined
  readonly told: string[] = []
  readonly #held = new StreamCache()
  readonly #room: () => Promise<void> | undefined

  constructor(maxWaiting: number, room: () => Promise<void> | undefined) {
    this.bound = new MailboxBound(maxWaiting)
    this.#room = room
  }

  reserve() {
    return { resize() {}, release() {} }
  }

  push(text: string): Promise<void> | undefined {
    const { a: action, b: body } = JSON.parse(text).d
    this.told.push(`${action} ${body.p} ${JSON.stringify(body.d)}`)
    this.#held.apply({ kind: action === 'd' ? 'put' : 'patch', path: body.p, data: body.d })
    return this.#room()
  }

  lost(listen: Listen, reason: EndReason | undefined): void {
    throw new Error(`lost ${listen.path}: ${reason?.text}`)
  }

  abort(): void {
    throw new Error('aborted')
  }

  access() {
    return {}
  }

  signIn(): never {
    throw new Error('no plan signs in')
  }

  signOut(): never {
    throw new Error('no plan signs out')
  }

  /** SDKs take the data of an answer for what listens have sent. */
  got(path: string, { data, onSent }: Answer): void {
    this.told.push(`answer ${path} ${data}`)
    this.#held.apply({ kind: 'put', path, data: JSON.parse(joined(data)) })
    onSent?.()
  }

  hashAt(path: string): string {
    const text = this.at(parsePath(path))
    return text === 'null' ? '' : drain(new TextHasher(text, 'exact').hash())
  }

  at(path: Path): string {
    return textOf(valueAt(this.#held.plain as Value, path))
  }
}

function textOf(value: Value | undefined | null): string {
  return JSON.stringify(value ?? null, (_, each) =>
    typeof each === 'object' && each !== null ? Object.fromEntries(Object.entries(each).sort()) : each,
  )
}

/** Plays a scene. @returns the pushed messages @throws Error that says which listen does not show what a read returns */
export async function play(scene: Scene): Promise<readonly string[]> {
  const { scheduler } = scene
  const store = new PlannedStore(
    {
      isSlow: () => scene.slow.next().value,
      startsOver: () => false,
      turn: (label) => scheduler.schedule(Promise.resolve(), label),
    },
    scene.first,
  )
  const streams = new Streams(
    store,
    new RulesInForce(store, new RuleCache(MAY_READ)),
    {
      ...scene.waiting,
      maxEvent: 10_000,
      keepAliveMs: 1_000_000,
      publishing: {
        isEnough: () => scene.publishes.next().value,
        pause: () => scheduler.schedule(Promise.resolve(), 'publication'),
      },
    },
    LIMIT,
    undefined,
  )
  const client = new Client(scene.waiting.maxWaiting, () =>
    scene.full.next().value ? scheduler.schedule(Promise.resolve(), 'room') : undefined,
  )
  const requests = new Requests(databaseOf(store, streams), client, 100)
  const open = new Set<string>()
  const asked = ask(scene, requests, client, open)
  for (const group of scene.commits)
    void scheduler.schedule(Promise.resolve(), 'commits').then(() => store.publish(group))
  await scheduler.waitFor(asked)
  // Pieces are delivered in turns of the event loop.
  for (let turn = 0; turn < MOST_PIECES; turn++) {
    await scheduler.waitIdle()
    await new Promise(setImmediate)
  }
  for (const path of open) {
    const keys = parsePath(path)
    const root = store.version()
    const now = textOf(root === undefined ? undefined : valueAt(root, keys))
    if (client.at(keys) !== now) throw new Error(`${path} is ${now}: ${JSON.stringify(client.told)}`)
  }
  requests.closeListens()
  streams.close()
  return client.told
}

/** One request after the other, as a session carries them out. */
async function ask(
  { scheduler, requests: steps }: Scene,
  requests: Requests,
  client: Client,
  open: Set<string>,
): Promise<void> {
  for (const [number, step] of steps.entries()) {
    const { action, path } = step
    const h = 'knows' in step && step.knows ? client.hashAt(path) : ''
    await scheduler.schedule(Promise.resolve(), 'request')
    if (action === 'reported') {
      await requests.reported(parsePath(path))
      continue
    }
    const answer = await requests.answer({
      number,
      action,
      body: { p: path, h, q: action === 'g' ? {} : undefined },
    })
    if (action === 'g') client.got(path, answer)
    else if (action === 'q') open.add(path)
    else open.delete(path)
  }
}

function databaseOf(store: PlannedStore, streams: Streams): Database {
  const listen = (path: Path, _: WatchOptions, sink: Sink) =>
    streams.listen({ path, query: undefined, form: 'export', access: {}, check: () => {}, from: undefined }, sink)
  const node = async (path: Path) => (await store.readAt(path, undefined, LIMIT, undefined)).value
  return { sessions: { listen }, node, position: () => store.position() } as unknown as Database
}
