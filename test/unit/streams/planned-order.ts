import fc from 'fast-check'
import { RULES, RULES_SINCE } from '../../../src/database/access/authorizer.ts'
import { RuleCache } from '../../../src/database/access/rule-cache.ts'
import { RulesInForce } from '../../../src/database/access/rules-in-force.ts'
import { Streams } from '../../../src/database/streams/streams.ts'
import type { EventBatch, NumberedEvent } from '../../../src/hub/event-batch.ts'
import type { ReserveMemory } from '../../../src/hub/mailbox.ts'
import type { EndReason, Sink } from '../../../src/hub/sink.ts'
import { makeQuery } from '../../../src/query/query.ts'
import { joined } from '../../../src/tree/json/text-pieces.ts'
import { isBranch, type Value, valueAt } from '../../../src/tree/value.ts'
import { StreamCache } from '../../support/stream-cache.ts'
import { PlannedStore, type PlannedWrite } from './planned-store.ts'

/** What may be read depends on two places, and which of three they are depends on a third. */
const DEPENDING = rulesFor("root.child(root.child('who').val()).val() == true")
const EVERYBODY = rulesFor('true')
const NOBODY = rulesFor('false')
const sources = { depending: DEPENDING, everybody: EVERYBODY, nobody: NOBODY }

function rulesFor(read: string): string {
  return JSON.stringify({ rules: { n: { '.read': read } } })
}

const queries = {
  none: undefined,
  all: makeQuery({ orderBy: '$key' }, 'firebase'),
  range: makeQuery({ orderBy: '$value', startAt: 2 }, 'firebase'),
  first: makeQuery({ orderBy: '$value', limitToFirst: 2 }, 'firebase'),
  last: makeQuery({ orderBy: '$key', limitToLast: 1 }, 'firebase'),
}

const leaf = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constant(null))
const key = fc.constantFrom('a', 'b', 'c')
const list = fc.dictionary(key, fc.integer({ min: 0, max: 4 }), { minKeys: 1 })
const permission: fc.Arbitrary<PlannedWrite> = fc.oneof(
  fc.constantFrom('x', 'y').map((who) => ({ who })),
  fc.tuple(fc.constantFrom('x', 'y'), fc.boolean()).map(([who, may]) => ({ [who]: may })),
)
const data: fc.Arbitrary<PlannedWrite> = fc.oneof(
  fc.tuple(key, leaf).map(([child, value]) => ({ [`n/${child}`]: value })),
  list.map((n) => ({ n })),
)
const write: fc.Arbitrary<PlannedWrite> = fc.oneof(
  { weight: 3, arbitrary: data },
  { weight: 2, arbitrary: permission },
  { weight: 1, arbitrary: fc.constant({ elsewhere: 1 }) },
  { weight: 1, arbitrary: fc.tuple(data, permission).map(([one, other]) => ({ ...one, ...other })) },
)

/** What happens to a stream from before it is opened, and in which order. */
export const scene = fc.record({
  first: fc.record({ n: list, who: fc.constantFrom('x', 'y'), x: fc.constant(true), y: fc.boolean() }),
  before: fc.array(fc.array(write, { minLength: 1, maxLength: 2 }), { maxLength: 2 }),
  after: fc.array(fc.array(write, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
  rules: fc.constantFrom<keyof typeof sources>('depending', 'depending', 'depending', 'everybody'),
  others: fc.array(fc.constantFrom<keyof typeof sources>('depending', 'everybody', 'nobody'), { maxLength: 1 }),
  query: fc.constantFrom<keyof typeof queries>('none', 'none', 'none', 'all', 'range', 'first', 'last'),
  resumes: fc.boolean(),
  /** What may wait for the stream, and how much of it is handed over at a time. */
  waiting: fc.record({
    maxWaiting: fc.constantFrom(60, 150, 10_000),
    pieceLength: fc.constantFrom(1, 100, 10_000),
  }),
  /** Whether there is memory for what waits, asked each time that something is added. */
  hasMemory: fc.infiniteStream(fc.constantFrom(true, true, true, false)),
  slow: fc.infiniteStream(fc.boolean()),
  startsOver: fc.infiniteStream(fc.constantFrom(false, false, false, true)),
  full: fc.infiniteStream(fc.boolean()),
  /** Whether a step of a publication ends its turn. */
  publishes: fc.infiniteStream(fc.boolean()),
  scheduler: fc.scheduler(),
})

type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never

/** More than any plan hands over at the end. */
const MOST_PIECES = 40

/** An event, and the last commit that was durable when it was sent. */
interface Sent extends NumberedEvent {
  readonly at: number
  /** Rules in force then. */
  readonly rules: string
}

/** A client that is told what a stream tells, at the pace of the plan. */
class RecordedSink implements Sink {
  readonly sent: Sent[] = []
  ended: EndReason | undefined
  readonly #position: () => number
  readonly #rules: () => string
  readonly #room: () => Promise<unknown> | undefined
  readonly reserve: ReserveMemory

  constructor(
    position: () => number,
    rules: () => string,
    room: () => Promise<unknown> | undefined,
    hasMemory: () => boolean,
  ) {
    this.#position = position
    this.#rules = rules
    this.#room = room
    // Windows of keys would end for lack of memory.
    this.reserve = (_what, _bytes, give, isSpare) => {
      let isHeld = true
      const resize = () => {
        if (!isHeld || isSpare !== true || hasMemory()) return
        isHeld = false
        give()
      }
      resize()
      return { resize, release: () => (isHeld = false) }
    }
  }

  write({ events }: EventBatch): Promise<unknown> | undefined {
    const more = { at: this.#position(), rules: this.#rules() }
    for (const event of events) this.sent.push({ ...event, ...more })
    return this.#room()
  }

  keepAlive(): void {}

  abort(): void {}

  end(reason?: EndReason): void {
    this.ended = reason
  }
}

/** What came of a scene. */
export interface Outcome {
  /** `open`: it was open at the end; `ended`: permission was withdrawn; `refused`: it was never opened. */
  readonly fate: 'open' | 'ended' | 'refused'
  readonly sent: readonly Sent[]
  /** How many events began everything anew, behind the first. */
  readonly renewals: number
}

/** Plays a scene. @throws Error that says which promise was broken */
export async function play(scene: Scene): Promise<Outcome> {
  const { scheduler } = scene
  const store = new PlannedStore(
    {
      isSlow: () => scene.slow.next().value,
      startsOver: () => scene.startsOver.next().value,
      turn: (label) => scheduler.schedule(Promise.resolve(), label),
    },
    scene.first,
  )
  store.set({ [RULES]: sources[scene.rules], [RULES_SINCE]: '0' })
  const from = scene.resumes ? store.position() : undefined
  const held = new StreamCache()
  held.apply({ kind: 'put', path: '/', data: nodeOf(store.version()) ?? null })
  for (const group of scene.before) store.publish(group)
  const book = new RuleCache(sources.nobody)
  const streams = new Streams(
    store,
    new RulesInForce(store, book),
    {
      ...scene.waiting,
      maxEvent: 10_000,
      keepAliveMs: 1_000_000,
      publishing: {
        isEnough: () => scene.publishes.next().value,
        pause: () => scheduler.schedule(Promise.resolve(), 'publication'),
      },
    },
    { maxLength: 10_000, timeoutMs: 10_000 },
    undefined,
  )
  const rulesNow = () => store.setting(RULES) ?? sources.nobody
  const sink = new RecordedSink(
    () => store.position().seq,
    rulesNow,
    () => (scene.full.next().value ? scheduler.schedule(Promise.resolve(), 'room') : undefined),
    () => scene.hasMemory.next().value,
  )
  const query = queries[scene.query]
  const as = Object.freeze({ kind: 'user', auth: { uid: 'ann' } } as const)
  const opening = streams.open({ path: ['n'], query, form: 'plain', access: { as }, check: () => {}, from }, sink)
  let isRefused = false
  const opened = opening.catch((error: { code?: string }) => {
    if (error.code !== 'permission-denied') throw error
    isRefused = true
  })
  for (const group of scene.after)
    void scheduler.schedule(Promise.resolve(), 'commits').then(() => store.publish(group))
  for (const name of scene.others) {
    void scheduler.schedule(Promise.resolve(), 'rules').then(() => {
      store.set({ [RULES]: sources[name], [RULES_SINCE]: String(store.position().seq) })
      return streams.rechecked
    })
  }
  await scheduler.waitFor(opened)
  // Pieces are handed over in turns of the event loop.
  for (let turn = 0; turn < MOST_PIECES; turn++) {
    await scheduler.waitIdle()
    await new Promise(setImmediate)
  }
  await scheduler.waitIdle()
  const fate = isRefused ? 'refused' : sink.ended === undefined ? 'open' : 'ended'
  const renewals = sink.sent.slice(1).filter(({ kind, path }) => kind === 'put' && path === '/').length
  check(scene, { store, sink, held, fate, from: from?.seq, rulesNow })
  streams.close()
  return { fate, sent: sink.sent, renewals }
}

interface Played {
  readonly store: PlannedStore
  readonly sink: RecordedSink
  /** What the client holds before the stream. */
  readonly held: StreamCache
  readonly fate: Outcome['fate']
  readonly from: number | undefined
  readonly rulesNow: () => string
}

function check(scene: Scene, { store, sink, held, fate, from, rulesNow }: Played): void {
  const story = () => JSON.stringify({ sent: sink.sent, fate, now: nodeOf(store.version()) })
  let last = from ?? 0
  for (const [index, event] of sink.sent.entries()) {
    if (event.kind === 'mark') throw new Error(`a mark that nobody asked for: ${story()}`)
    const isWhole = event.kind === 'put' && event.path === '/'
    if (index === 0 && from === undefined && !isWhole) throw new Error(`an event before the first put: ${story()}`)
    // A stream that resumes may begin anew with what its client has seen already.
    if (event.seq <= last && !(index === 0 && isWhole && event.seq === from))
      throw new Error(`event ${index} tells no later commit: ${story()}`)
    last = event.seq
    if (!mayRead(store.version(event.at), event.rules)) throw new Error(`event ${index} is not for it now: ${story()}`)
    if (event.rules === sources[scene.rules] && !mayRead(store.version(event.seq), event.rules)) {
      throw new Error(`event ${index} was not for it then: ${story()}`)
    }
    held.apply({ kind: event.kind, path: event.path, data: JSON.parse(joined(event.data)) })
  }
  const isQuiet = scene.others.length === 0
  const mayAlways = Array.from({ length: store.position().seq }, (_, index) => store.version(index + 1)).every(
    (version) => mayRead(version, rulesNow()),
  )
  if (isQuiet && mayAlways && fate !== 'open') throw new Error(`refused what was allowed all the time: ${story()}`)
  if (fate !== 'open') return
  if (from === undefined && sink.sent.length === 0) throw new Error('nothing was told')
  // A stream whose permission went without an event to be judged stays open in silence.
  if (!mayRead(store.version(), rulesNow())) return
  const wanted = JSON.stringify(chosenNow(scene, nodeOf(store.version())))
  if (held.plainText !== wanted) throw new Error(`it holds ${held.plainText}: ${story()}`)
}

function mayRead(root: Value | undefined, rules: string): boolean {
  if (rules !== DEPENDING) return rules === EVERYBODY
  const who = root === undefined ? undefined : valueAt(root, ['who'])
  return typeof who === 'string' && root !== undefined && valueAt(root, [who]) === true
}

function nodeOf(root: Value | undefined): Value | undefined {
  return root === undefined ? undefined : valueAt(root, ['n'])
}

/** What a GET answers now, in the order of keys. */
function chosenNow({ query }: Scene, node: Value | undefined): unknown {
  if (node === undefined) return null
  if (!isBranch(node)) return node
  const children = Object.entries(node).sort(([left], [right]) => (left < right ? -1 : 1))
  const byValue = children.toSorted(([, left], [, right]) => Number(left) - Number(right))
  const chosen = {
    none: children,
    all: children,
    range: byValue.filter(([, value]) => Number(value) >= 2),
    first: byValue.slice(0, 2),
    last: children.slice(-1),
  }[query]
  if (chosen.length === 0) return null
  return Object.fromEntries(chosen.sort(([left], [right]) => (left < right ? -1 : 1)))
}
