import { expect, test } from 'bun:test'
import type { Caller } from '../../../src/auth/caller.ts'
import type { GuardedTree } from '../../../src/database/streams/guarded.ts'
import type { StreamGuard } from '../../../src/database/streams/stream-guard.ts'
import { StreamGuards } from '../../../src/database/streams/stream-guards.ts'
import { EventBatch } from '../../../src/hub/event-batch.ts'
import { defaultStreams, Hub } from '../../../src/hub/hub.ts'
import type { Sink } from '../../../src/hub/sink.ts'

const STREAMS = 400
/** To end a stream writes to its connection. */
const END_MS = 0.25
/** With what a turn has time for, they take twenty. */
const FEWEST_TURNS = 10

const tree: GuardedTree = {
  rules: () => undefined,
  seq: () => 0,
  isSilent: () => false,
  run: () => {
    throw new Error('No rule applies')
  },
}

/** Counts the turns of the event loop in which streams end. */
class Endings {
  readonly #ended = Promise.withResolvers<void>()
  readonly #turns = new Set<number>()
  #turn = 0
  #left = STREAMS

  constructor() {
    const next = () => {
      this.#turn++
      if (this.#left > 0) setImmediate(next)
    }
    next()
  }

  /** One stream ends. */
  end(): void {
    this.#turns.add(this.#turn)
    const until = performance.now() + END_MS
    while (performance.now() < until);
    if (--this.#left === 0) this.#ended.resolve()
  }

  /** Resolves with the number of turns when all have ended. */
  async ended(): Promise<number> {
    await this.#ended.promise
    return this.#turns.size
  }
}

/** Streams of one caller. */
class Streams {
  readonly guards = new StreamGuards(tree)
  readonly all: readonly StreamGuard[]
  readonly #endings = new Endings()
  /** Number of batches that were told. */
  told = 0

  constructor(caller: Caller) {
    const sink = { write: () => void this.told++ } as unknown as Sink
    this.all = Array.from({ length: STREAMS }, () => {
      const guard = this.guards.guard(sink, { caller, decide: undefined })
      guard.attach({ callerChanged() {}, end: () => this.#endings.end() })
      return guard
    })
  }

  ended(): Promise<number> {
    return this.#endings.ended()
  }
}

test('streams of a secret that was replaced end in several turns of the event loop, and tell nothing meanwhile', async () => {
  const streams = new Streams({ kind: 'user', auth: { uid: 'ann' } })
  streams.guards.revoke()
  for (const guard of streams.all) guard.write(new EventBatch([{ kind: 'put', path: '/', data: '1', seq: 1 }]))
  expect(await streams.ended()).toBeGreaterThan(FEWEST_TURNS)
  expect(streams.told).toBe(0)
})

test('streams whose tokens expire in the same millisecond end in several turns of the event loop', async () => {
  const streams = new Streams({ kind: 'user', auth: { uid: 'ann' }, expiresAt: Date.now() + 20 })
  expect(await streams.ended()).toBeGreaterThan(FEWEST_TURNS)
})

test('streams of a tree that is closed end in several turns of the event loop', async () => {
  const hub = new Hub({ read: () => ({ seq: 1, value: undefined }) }, defaultStreams)
  const endings = new Endings()
  const sink: Sink = { write: () => undefined, keepAlive: () => {}, end: () => endings.end(), abort: () => {} }
  const subscription = { path: [], query: undefined, form: 'plain' } as const
  for (let index = 0; index < STREAMS; index++) await hub.subscribe(subscription, { sink })
  await hub.end()
  expect(await endings.ended()).toBeGreaterThan(FEWEST_TURNS)
  expect(hub.size).toBe(0)
  hub.close()
})
