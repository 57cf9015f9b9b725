import { expect, test } from 'bun:test'
import type { Caller } from '../../../src/auth/caller.ts'
import type { GuardedTree, StreamGuard } from '../../../src/database/streams/stream-guard.ts'
import { StreamGuards } from '../../../src/database/streams/stream-guards.ts'
import { EventBatch } from '../../../src/hub/event-batch.ts'
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

/** Streams of one caller, and in how many turns of the event loop they ended. */
class Streams {
  readonly guards = new StreamGuards(tree)
  readonly all: readonly StreamGuard[]
  readonly #ended = Promise.withResolvers<void>()
  readonly #turns = new Set<number>()
  #turn = 0
  #left = STREAMS
  /** Number of batches that were told. */
  told = 0

  constructor(caller: Caller) {
    const sink = { write: () => void this.told++ } as unknown as Sink
    this.all = Array.from({ length: STREAMS }, () => {
      const guard = this.guards.guard(sink, { caller, decide: undefined })
      guard.attach({ end: () => this.#end(), callerChanged() {} })
      return guard
    })
    const next = () => {
      this.#turn++
      if (this.#left > 0) setImmediate(next)
    }
    next()
  }

  /** Resolves with the number of turns when all have ended. */
  async ended(): Promise<number> {
    await this.#ended.promise
    return this.#turns.size
  }

  #end(): void {
    this.#turns.add(this.#turn)
    const until = performance.now() + END_MS
    while (performance.now() < until);
    if (--this.#left === 0) this.#ended.resolve()
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
