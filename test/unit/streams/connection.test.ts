import { describe, expect, test } from 'bun:test'
import { DholeError } from '../../../src/error.ts'
import { sseEncoder } from '../../../src/http/streams/sse-encoder.ts'
import { EventBatch } from '../../../src/hub/event-batch.ts'
import { defaultStreams, Hub } from '../../../src/hub/hub.ts'
import { MailboxBound } from '../../../src/hub/mailbox.ts'
import { BEGIN_ANEW, DENIED, type EndReason, type Sink } from '../../../src/hub/sink.ts'
import type { NumberedChange } from '../../../src/hub/topic.ts'
import { NodeText } from '../../../src/tree/json/node-text.ts'

/** Size of an event beside its data and path. */
const EVENT_LENGTH = 40

function change(seq: number, key: string, length: number): NumberedChange {
  const path = [key]
  return { seq, kind: 'put', path, writes: [{ kind: 'value', path, value: 'x'.repeat(length) }] }
}

/** Records the numbers of the events, and has room for one batch until `room` is resolved. */
class Client implements Sink {
  readonly bound: MailboxBound | undefined
  readonly seqs: number[] = []
  readonly beginnings: number[] = []
  readonly room = Promise.withResolvers<void>()
  ended: EndReason | undefined
  /** Whether it refuses the next batch. */
  isRefusing = false

  constructor(bound?: MailboxBound) {
    this.bound = bound
  }

  write({ events, isBeginning }: EventBatch): ReturnType<Sink['write']> {
    if (this.isRefusing) {
      this.isRefusing = false
      return BEGIN_ANEW
    }
    for (const { seq } of events) (isBeginning ? this.beginnings : this.seqs).push(seq)
    return this.bound === undefined ? undefined : this.room.promise
  }

  keepAlive(): void {}

  abort(): void {}

  end(reason?: EndReason): void {
    this.ended = reason
  }
}

const listen = (key: string) => ({ path: [key], query: undefined, form: 'plain' }) as const

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}

describe('a bound shared by the listens of one connection', () => {
  test('drops what waits for the longest mailbox, and nothing of the others', async () => {
    let seq = 0
    const lost: number[] = []
    const events = { onOpened: undefined, onClosed: undefined, onLost: () => lost.push(seq) }
    const hub = new Hub({ read: () => ({ seq, value: new NodeText('1') }) }, defaultStreams, events)
    const bound = new MailboxBound(10 * (EVENT_LENGTH + 1000))
    const [many, few] = [new Client(bound), new Client(bound)]
    await hub.subscribe(listen('many'), { sink: many })
    await hub.subscribe(listen('few'), { sink: few })
    await hub.publish([change(++seq, 'few', 100)])
    while (lost.length === 0) await hub.publish([change(++seq, 'many', 1000)])
    // Ten events of 1,000 do not fit beside the other one.
    expect(lost).toEqual([11])
    await hub.publish([change(++seq, 'few', 100)])
    for (const { room } of [many, few]) room.resolve()
    await settled()
    expect([few.beginnings, few.seqs]).toEqual([[0], [1, 12]])
    expect([many.beginnings, many.seqs]).toEqual([[0, 12], []])
    await hub.publish([change(++seq, 'many', 1000)])
    expect(many.seqs).toEqual([13])
    hub.close()
  })
})

describe('a listener whose caller changes', () => {
  /** A hub whose reads wait, with one subscriber that has been refused its last batch. */
  async function beginningAgain() {
    const reads: PromiseWithResolvers<number>[] = []
    const read = async () => {
      const pending = Promise.withResolvers<number>()
      reads.push(pending)
      return { seq: await pending.promise, value: new NodeText('1') }
    }
    const hub = new Hub({ read }, defaultStreams)
    const client = new Client()
    const subscribing = hub.subscribe(listen('n'), { sink: client })
    await settled()
    reads[0]?.resolve(0)
    const subscriber = await subscribing
    client.isRefusing = true
    await hub.publish([change(1, 'n', 1)])
    return { hub, client, subscriber, reads }
  }

  test('gets a beginning that was read for its present caller, and every later change', async () => {
    const { hub, client, subscriber, reads } = await beginningAgain()
    subscriber.callerChanged()
    reads[1]?.resolve(1)
    await settled()
    expect([client.beginnings, reads.length]).toEqual([[0], 3])
    await hub.publish([change(2, 'n', 1), change(3, 'n', 1)])
    reads[2]?.resolve(2)
    await settled()
    expect([client.beginnings, client.seqs]).toEqual([[0, 2], [3]])
    subscriber.callerChanged()
    await hub.publish([change(4, 'n', 1)])
    expect([client.seqs, reads.length]).toEqual([[3, 4], 3])
    hub.close()
  })

  test('is not ended by the refusal of its former caller, but by that of its present one', async () => {
    const { hub, client, subscriber, reads } = await beginningAgain()
    subscriber.callerChanged()
    reads[1]?.reject(new DholeError('permission-denied'))
    await settled()
    expect([client.ended, hub.size]).toEqual([undefined, 1])
    reads[2]?.reject(new DholeError('permission-denied'))
    await settled()
    expect([client.ended, hub.size]).toEqual([DENIED, 0])
  })
})

test('a batch is encoded once for each encoder', () => {
  const batch = new EventBatch([{ kind: 'put', path: '/', data: '1', seq: 7 }])
  const [plain, numbered] = [sseEncoder(), sseEncoder((seq) => `id-${seq}`)]
  const texts = [plain, numbered].map((encoder) => new TextDecoder().decode(batch.encoded(encoder, undefined)))
  expect(texts).toEqual([
    'event: put\ndata: {"path":"/","data":1}\n\n',
    'event: put\ndata: {"path":"/","data":1}\nid: id-7\n\n',
  ])
  for (const encoder of [plain, numbered]) {
    expect(batch.encoded(encoder, undefined)).toBe(batch.encoded(encoder, undefined))
    expect([...encoder.pieces(batch.events)].join('')).toBe(new TextDecoder().decode(batch.encoded(encoder, undefined)))
  }
})
