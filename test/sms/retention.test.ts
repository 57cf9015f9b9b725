import { Database as Client } from 'bun:sqlite'
import { afterEach, expect, setSystemTime, test } from 'bun:test'
import { type OpenMessages, openMessages } from '../../src/dhole.ts'
import type { MessageRecord } from '../../src/sms/message.ts'
import { type TempDir, tempDir } from '../support/temp-dir.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const START = Date.parse('2026-03-01T12:00:00Z')
const MOBILE = '13800138000'

afterEach(() => {
  setSystemTime()
})

/** Messages of an application, opened at a moment, kept tidy as a server does. */
function open(dir: TempDir, day: number): OpenMessages {
  setSystemTime(new Date(START + day * DAY_MS))
  const opened = openMessages(dir.path, 'app', { intervalMs: 0, retentionDays: 30 })
  opened.messages.keepTidy()
  return opened
}

/** A batch of so many messages, as an import brings them. */
function imported(rrid: string, count: number, submittedAt: number): readonly MessageRecord[] {
  return Array.from({ length: count }, (_, at) => ({
    rrid,
    mobile: String(13_800_000_000 + at),
    status: (at % 4) as MessageRecord['status'],
    deliveryStatus: ['', 'ENROUTE', 'DELIVRD', 'UNDELIV'][at % 4] ?? '',
    submittedAt,
    receivedAt: submittedAt,
  }))
}

function rowsOf(dir: TempDir, table: string): number {
  using client = new Client(`${dir.path}/apps/app.sqlite`, { readonly: true })
  return client.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table}`).get()?.rows ?? -1
}

async function batchOf(messages: OpenMessages['messages'], rrid: string): Promise<readonly unknown[]> {
  return JSON.parse(await messages.batch(rrid)).data
}

/** Goes round until the messages of a batch are gone. */
async function gone({ messages }: OpenMessages, rrid: string): Promise<void> {
  while ((await batchOf(messages, rrid)).length > 0) await new Promise(setImmediate)
}

test('what was submitted long ago is deleted, all of it and nothing else', async () => {
  await using dir = await tempDir()
  const first = open(dir, 0)
  await first.messages.import(imported('long', 1700, START))
  for (let at = 0; at < 40; at++) await first.messages.import(imported(`short-${at}`, 20, START + at))
  await first.messages.import(imported('young', 8, START + 2 * DAY_MS))
  await first.close()

  const before = open(dir, 30)
  const counts = { notSent: 627, sending: 627, delivered: 627, failed: 627 }
  expect(await before.messages.counts()).toMatchObject(counts)
  await before.messages.record({ rrid: 'last', mobiles: [MOBILE] })
  expect(await batchOf(before.messages, 'long')).toHaveLength(1700)
  await before.close()

  const after = open(dir, 31)
  await gone(after, 'long')
  await gone(after, 'short-39')
  expect(await batchOf(after.messages, 'young')).toHaveLength(8)
  expect(await batchOf(after.messages, 'last')).toHaveLength(1)
  expect(await after.messages.counts()).toMatchObject({ notSent: 3, sending: 2, delivered: 2, failed: 2 })
  await after.close()
  expect([rowsOf(dir, 'sms_message'), rowsOf(dir, 'sms_batch')]).toEqual([9, 2])
})

test('a final state is still handed over when its batch is gone', async () => {
  await using dir = await tempDir()
  const first = open(dir, 0)
  const rrid = await first.messages.record({ mobiles: [MOBILE] })
  await first.close()
  const reported = open(dir, 29.9)
  const report = { message: { rrid, mobile: MOBILE }, state: 2, code: 'DELIVRD', receivedAt: START } as const
  expect(await reported.messages.report([report])).toEqual({ accepted: 1, ignored: 0 })
  await reported.close()
  const later = open(dir, 30.1)
  await gone(later, rrid)
  const lease = await later.messages.lease()
  expect(lease.count).toBe(1)
  expect(JSON.parse(lease.pieces.join())).toMatchObject({ rrid, status: 2 })
  expect(await later.messages.report([report])).toEqual({ accepted: 0, ignored: 1 })
  await later.close()
})

test('who was told what is kept for as long as it matters', async () => {
  await using dir = await tempDir()
  const first = open(dir, 0)
  const rrid = await first.messages.record({ mobiles: [MOBILE, '13800138001'] })
  const told = async ({ messages }: OpenMessages, mobile: string): Promise<void> => {
    await messages.report([{ message: { rrid, mobile }, state: 3, code: 'UNDELIV', receivedAt: START }])
    await messages.report([{ message: { rrid, mobile }, state: 2, code: 'DELIVRD', receivedAt: START }])
    const lease = await messages.lease()
    expect(lease.count).toBe(1)
    await lease.acknowledge()
  }
  await told(first, MOBILE)
  await first.close()
  const second = open(dir, 1.9)
  await told(second, '13800138001')
  expect((await second.messages.lease()).count).toBe(0)
  await second.close()
  expect([rowsOf(dir, 'sms_final'), rowsOf(dir, 'sms_handover'), rowsOf(dir, 'sms_contradiction')]).toEqual([2, 2, 2])

  const third = open(dir, 2.1)
  expect((await third.messages.lease()).count).toBe(0)
  while (rowsOf(dir, 'sms_final') > 1) await new Promise(setImmediate)
  // When each was told stands in an export for as long as the message does.
  const { records } = await third.messages.export(undefined, 10)
  expect(records.map(({ returnedAt }) => returnedAt)).toEqual([START, START + 1.9 * DAY_MS])
  await third.close()

  const last = open(dir, 31)
  while (rowsOf(dir, 'sms_handover') + rowsOf(dir, 'sms_final') > 1) await new Promise(setImmediate)
  await gone(last, rrid)
  await last.close()
  expect([rowsOf(dir, 'sms_final'), rowsOf(dir, 'sms_handover'), rowsOf(dir, 'sms_contradiction')]).toEqual([0, 1, 1])
})

test('the clock going back loses nothing and tells nothing twice', async () => {
  await using dir = await tempDir()
  const ahead = open(dir, 10)
  const mobiles = [MOBILE, '13800138001', '13800138002']
  const rrid = await ahead.messages.record({ mobiles })
  const report = (mobile: string) =>
    ({ message: { rrid, mobile }, state: 2, code: 'DELIVRD', receivedAt: START }) as const
  await ahead.messages.report([report(MOBILE)])
  await (await ahead.messages.lease()).acknowledge()
  await ahead.close()
  const back = open(dir, 0)
  await back.messages.report(mobiles.slice(1).map(report))
  const lease = await back.messages.lease()
  expect(JSON.parse(`[${lease.pieces.join()}]`)).toMatchObject(mobiles.slice(1).map((mobile) => ({ mobile })))
  await lease.acknowledge()
  expect((await back.messages.lease()).count).toBe(0)
  await back.close()
  const again = open(dir, 0)
  expect((await again.messages.lease()).count).toBe(0)
  await again.close()
})
