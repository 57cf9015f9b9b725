import { expect, test } from 'bun:test'
import type { EventBatch } from '../../../src/hub/event-batch.ts'
import { defaultStreams, Hub } from '../../../src/hub/hub.ts'
import type { Sink } from '../../../src/hub/sink.ts'
import type { NumberedChange } from '../../../src/hub/topic.ts'
import { NodeText } from '../../../src/tree/json/node-text.ts'

const CHANGES = 100
const PIECE_LENGTH = 4000
/** Of one event: its data, path and frame. */
const EVENT_LENGTH = 600
const subscription = { path: ['n'], query: undefined, form: 'plain' } as const

function changesUpTo(last: number): NumberedChange[] {
  return Array.from({ length: last }, (_each, index) => {
    const path = ['n', String(index)]
    return { seq: index + 1, kind: 'put', path, writes: [{ kind: 'value', path, value: 'x'.repeat(500) }] }
  })
}

/** Takes what it is told, and from the first batch on has no room until it is given some. */
class Client implements Sink {
  readonly batches: EventBatch[] = []
  readonly room = Promise.withResolvers<void>()
  readonly #isSlow: boolean

  constructor(isSlow: boolean) {
    this.#isSlow = isSlow
  }

  get seqs(): readonly number[] {
    return this.batches.flatMap(({ events }) => events.map(({ seq }) => seq))
  }

  write(batch: EventBatch): Promise<void> | undefined {
    this.batches.push(batch)
    return this.#isSlow && this.batches.length === 1 ? this.room.promise : undefined
  }

  /** Waits until it has been told of a commit. */
  async toldOf(seq: number): Promise<void> {
    while ((this.seqs.at(-1) ?? 0) < seq) await new Promise(setImmediate)
  }

  keepAlive(): void {}

  abort(): void {}

  end(): void {}
}

function hubAt(seq: number): Hub {
  const read = () => ({ seq, value: new NodeText('{}') })
  return new Hub({ read }, { ...defaultStreams, pieceLength: PIECE_LENGTH })
}

function expectPieces(batches: readonly EventBatch[]): void {
  const longest = Math.max(...batches.map(({ events }) => events.reduce((sum, { data }) => sum + data.length, 0)))
  expect(longest).toBeLessThan(PIECE_LENGTH + EVENT_LENGTH)
}

test('a long catch-up is handed over in pieces, and what is new comes behind it', async () => {
  const [last, ...missed] = changesUpTo(CHANGES).reverse()
  const changes = missed.reverse()
  const hub = hubAt(CHANGES - 1)
  const client = new Client(false)
  await hub.subscribe(subscription, { sink: client, missed: async () => ({ changes, seq: CHANGES - 1 }) })
  // Not all of it has gone in the turn in which it was ready.
  expect(client.seqs.length).toBeLessThan(CHANGES - 1)
  if (last !== undefined) hub.publish([last])
  await client.toldOf(CHANGES)
  expect(client.seqs).toEqual(Array.from({ length: CHANGES }, (_each, index) => index + 1))
  expectPieces(client.batches)
  hub.close()
})

test('what has waited for a slow reader is handed over in pieces', async () => {
  const hub = hubAt(0)
  const client = new Client(true)
  await hub.subscribe(subscription, { sink: client })
  for (const change of changesUpTo(CHANGES)) hub.publish([change])
  expect(client.seqs).toEqual([0])
  client.room.resolve()
  await client.toldOf(CHANGES)
  expect(client.seqs).toEqual(Array.from({ length: CHANGES + 1 }, (_each, index) => index))
  expectPieces(client.batches)
  hub.close()
})

/** Length of a long event. Writing it takes so long, in milliseconds. */
const LONG = 200_000
const WRITE_MS = 2
const CLIENTS = 60

test('events of one change for many nodes are delivered over several turns', async () => {
  const hub = hubAt(0)
  let ofTurn = 0
  let most = 0
  const nodes = Array.from({ length: 600 }, (_each, index) => ['n', String(index)])
  const clients = await Promise.all(
    nodes.map(async (path) => {
      const client = new Client(false)
      await hub.subscribe({ ...subscription, path }, { sink: client })
      const taken = client.write.bind(client)
      client.write = (batch) => {
        most = Math.max(most, ++ofTurn)
        for (const end = performance.now() + 0.1; performance.now() < end; );
        return taken(batch)
      }
      return client
    }),
  )
  const path = ['n']
  for (const seq of [1, 2, 3]) {
    const writes = nodes.map((node) => ({ kind: 'value', path: node, value: seq }) as const)
    hub.publish([{ seq, kind: 'patch', path, writes }])
    if (seq === 2) await new Promise(setImmediate)
    ofTurn = 0
  }
  while (clients.some(({ seqs }) => seqs.at(-1) !== 3)) {
    ofTurn = 0
    await new Promise(setImmediate)
  }
  for (const { seqs } of clients) expect(seqs).toEqual([0, 1, 2, 3])
  expect(most).toBeLessThan(nodes.length)
  hub.close()
})

test('a batch for many clients is delivered over several turns, and each gets all events in order', async () => {
  const hub = hubAt(0)
  let ofTurn = 0
  let most = 0
  const write = (batch: EventBatch) => {
    if (batch.length < LONG) return
    most = Math.max(most, ++ofTurn)
    for (const end = performance.now() + WRITE_MS; performance.now() < end; );
  }
  const clients = Array.from({ length: CLIENTS }, () => {
    const client = new Client(false)
    const taken = client.write.bind(client)
    client.write = (batch) => {
      write(batch)
      return taken(batch)
    }
    return client
  })
  await Promise.all(clients.map((client) => hub.subscribe(subscription, { sink: client })))
  const value = 'x'.repeat(LONG)
  for (let seq = 1; seq <= CHANGES; seq++) {
    const isLong = seq % 50 === 1
    hub.publish([
      { seq, kind: 'put', path: ['n'], writes: [{ kind: 'value', path: ['n'], value: isLong ? value : seq }] },
    ])
    if (seq % 5 > 0) continue
    ofTurn = 0
    await new Promise(setImmediate)
  }
  while (clients.some(({ seqs }) => seqs.at(-1) !== CHANGES)) {
    ofTurn = 0
    await new Promise(setImmediate)
  }
  const all = Array.from({ length: CHANGES }, (_each, index) => index + 1)
  for (const { seqs } of clients) expect(seqs.slice(1)).toEqual(all)
  expect(most).toBeLessThan(CLIENTS)
  hub.close()
})
