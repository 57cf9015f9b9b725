import { Database as Client } from 'bun:sqlite'
import { afterEach, expect, setSystemTime, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { type ClosedApplication, openClosedApplication } from '../../../src/closed-application.ts'
import { treeFile } from '../../../src/data-folder/tree-file.ts'
import type { MessageRecord } from '../../../src/sms/model/message.ts'
import { inspectFile } from '../../../src/store/sqlite/check/inspect.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const START = Date.parse('2026-03-01T12:00:00Z')
const MOBILE = '13800138000'

afterEach(() => {
  setSystemTime()
})

/** Messages of an application, opened at a moment and purged, as a server does every hour. What was left fits together. */
async function open(dir: TempDir, day: number): Promise<ClosedApplication> {
  const file = treeFile(dir.path, 'app')
  if (existsSync(file)) expect([...inspectFile(file)]).toEqual([])
  setSystemTime(new Date(START + day * DAY_MS))
  const opened = await openClosedApplication(dir.path, 'app', { sms: { intervalMs: 0, retentionDays: 30 } })
  await opened.messages.purge()
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

async function batchOf(messages: ClosedApplication['messages'], rrid: string): Promise<readonly unknown[]> {
  return JSON.parse(await messages.batch(rrid)).data
}

test('what was submitted long ago is deleted, all of it and nothing else', async () => {
  await using dir = await tempDir()
  const first = await open(dir, 0)
  await first.messages.import(imported('long', 1700, START))
  for (let at = 0; at < 40; at++) await first.messages.import(imported(`short-${at}`, 20, START + at))
  await first.messages.import(imported('young', 8, START + 2 * DAY_MS))
  await first.close()

  const before = await open(dir, 30)
  const counts = { notSent: 627, sending: 627, delivered: 627, failed: 627 }
  expect(await before.messages.counts()).toMatchObject(counts)
  await before.messages.record({ rrid: 'last', mobiles: [MOBILE] })
  expect(await batchOf(before.messages, 'long')).toHaveLength(1700)
  await before.close()

  const after = await open(dir, 31)
  expect(await batchOf(after.messages, 'long')).toEqual([])
  expect(await batchOf(after.messages, 'short-39')).toEqual([])
  expect(await batchOf(after.messages, 'young')).toHaveLength(8)
  expect(await batchOf(after.messages, 'last')).toHaveLength(1)
  expect(await after.messages.counts()).toMatchObject({ notSent: 3, sending: 2, delivered: 2, failed: 2 })
  await after.close()
  expect([rowsOf(dir, 'sms_message'), rowsOf(dir, 'sms_batch')]).toEqual([9, 2])
})

test('a final state is still handed over when its batch is gone', async () => {
  await using dir = await tempDir()
  const first = await open(dir, 0)
  const rrid = await first.messages.record({ mobiles: [MOBILE] })
  await first.close()
  const reported = await open(dir, 29.9)
  const report = { message: { rrid, mobile: MOBILE }, state: 2, code: 'DELIVRD', receivedAt: START } as const
  expect(await reported.messages.report([report])).toEqual({ accepted: 1, ignored: 0 })
  await reported.close()
  const later = await open(dir, 30.1)
  expect(await batchOf(later.messages, rrid)).toEqual([])
  const lease = await later.messages.lease()
  expect(lease.count).toBe(1)
  expect(JSON.parse(lease.chunks.join())).toMatchObject({ rrid, status: 2 })
  expect(await later.messages.report([report])).toEqual({ accepted: 0, ignored: 1 })
  await later.close()
})

test('who was told what is kept for as long as it matters', async () => {
  await using dir = await tempDir()
  const first = await open(dir, 0)
  const rrid = await first.messages.record({ mobiles: [MOBILE, '13800138001'] })
  const told = async ({ messages }: ClosedApplication, mobile: string): Promise<void> => {
    await messages.report([{ message: { rrid, mobile }, state: 3, code: 'UNDELIV', receivedAt: START }])
    await messages.report([{ message: { rrid, mobile }, state: 2, code: 'DELIVRD', receivedAt: START }])
    const lease = await messages.lease()
    expect(lease.count).toBe(1)
    await lease.acknowledge()
  }
  await told(first, MOBILE)
  await first.close()
  const second = await open(dir, 1.9)
  await told(second, '13800138001')
  expect((await second.messages.lease()).count).toBe(0)
  await second.close()
  expect([rowsOf(dir, 'sms_final'), rowsOf(dir, 'sms_handover'), rowsOf(dir, 'sms_contradiction')]).toEqual([2, 2, 2])

  const third = await open(dir, 2.1)
  expect((await third.messages.lease()).count).toBe(0)
  expect(rowsOf(dir, 'sms_final')).toBe(1)
  // When each was told stands in an export for as long as the message does.
  const { records } = await third.messages.export(undefined, 10)
  expect(records.map(({ returnedAt }) => returnedAt)).toEqual([START, START + 1.9 * DAY_MS])
  await third.close()

  const last = await open(dir, 31)
  expect(await batchOf(last.messages, rrid)).toEqual([])
  await last.close()
  expect([rowsOf(dir, 'sms_final'), rowsOf(dir, 'sms_handover'), rowsOf(dir, 'sms_contradiction')]).toEqual([0, 1, 1])
})

test('the clock going back loses nothing and tells nothing twice', async () => {
  await using dir = await tempDir()
  const ahead = await open(dir, 10)
  const mobiles = [MOBILE, '13800138001', '13800138002']
  const rrid = await ahead.messages.record({ mobiles })
  const report = (mobile: string) =>
    ({ message: { rrid, mobile }, state: 2, code: 'DELIVRD', receivedAt: START }) as const
  await ahead.messages.report([report(MOBILE)])
  await (await ahead.messages.lease()).acknowledge()
  await ahead.close()
  const back = await open(dir, 0)
  await back.messages.report(mobiles.slice(1).map(report))
  const lease = await back.messages.lease()
  expect(JSON.parse(`[${lease.chunks.join()}]`)).toMatchObject(mobiles.slice(1).map((mobile) => ({ mobile })))
  await lease.acknowledge()
  expect((await back.messages.lease()).count).toBe(0)
  await back.close()
  const again = await open(dir, 0)
  expect((await again.messages.lease()).count).toBe(0)
  await again.close()
})

test('a clock that was ahead for a while has nothing told twice, or never', async () => {
  await using dir = await tempDir()
  const opened = await open(dir, 0)
  const { messages } = opened
  const mobiles = Array.from({ length: 4 }, (_, at) => String(13_800_000_000 + at))
  const rrid = await messages.record({ mobiles })
  const told = async (): Promise<readonly string[]> => {
    const lease = await messages.lease()
    await lease.acknowledge()
    return JSON.parse(`[${lease.chunks.join()}]`).map(({ mobile }: { mobile: string }) => mobile)
  }
  const report = (mobile: string | undefined) =>
    messages.report([{ message: { rrid, mobile: mobile ?? '' }, state: 2, code: 'DELIVRD', receivedAt: START }])
  await report(mobiles[0])
  expect(await told()).toEqual([mobiles[0] ?? ''])
  await report(mobiles[1])
  setSystemTime(new Date(START + 3 * DAY_MS))
  // Too old, for all that the clock says.
  expect(await told()).toEqual([])
  await report(mobiles[2])
  expect(await told()).toEqual([mobiles[2] ?? ''])
  setSystemTime(new Date(START + 1000))
  await report(mobiles[3])
  expect(await told()).toEqual([mobiles[1] ?? '', mobiles[3] ?? ''])
  expect(await told()).toEqual([])
  await opened.close()
  const again = await open(dir, 0)
  expect((await again.messages.lease()).count).toBe(0)
  await again.close()
})

test('what lies between states that were told is told in one answer', async () => {
  await using dir = await tempDir()
  const opened = await open(dir, 0)
  const { messages } = opened
  const mobiles = Array.from({ length: 5 }, (_, at) => String(13_800_000_000 + at))
  const rrid = await messages.record({ mobiles })
  const leases = []
  for (const mobile of mobiles) {
    await messages.report([{ message: { rrid, mobile }, state: 2, code: 'DELIVRD', receivedAt: START }])
    leases.push(await messages.lease())
  }
  expect(leases.map(({ count }) => count)).toEqual([1, 1, 1, 1, 1])
  for (const [at, lease] of leases.entries()) {
    if (at % 2 === 1) await lease.acknowledge()
    else lease.release()
  }
  const rest = await messages.lease()
  expect(rest.count).toBe(3)
  expect((await messages.lease()).count).toBe(0)
  await rest.acknowledge()
  await opened.close()
  const again = await open(dir, 0)
  expect((await again.messages.lease()).count).toBe(0)
  const { records } = await again.messages.export(undefined, 10)
  expect(records.every(({ returnedAt }) => returnedAt !== undefined)).toBe(true)
  await again.close()
})

test('what was told is known to a server that starts with a clock that is ahead for a while', async () => {
  await using dir = await tempDir()
  const first = await open(dir, 0)
  const mobiles = Array.from({ length: 3 }, (_, at) => String(13_800_000_000 + at))
  const rrid = await first.messages.record({ mobiles })
  const report = (mobile: string | undefined) =>
    first.messages.report([{ message: { rrid, mobile: mobile ?? '' }, state: 2, code: 'DELIVRD', receivedAt: START }])
  for (const [hours, mobile] of mobiles.entries()) {
    setSystemTime(new Date(START + hours * 60 * 60 * 1000))
    await report(mobile)
    if (hours < 2) await (await first.messages.lease()).acknowledge()
  }
  await first.close()
  const ahead = await open(dir, 31 / 24)
  expect((await ahead.messages.lease()).count).toBe(0)
  setSystemTime(new Date(START + 23 * 60 * 60 * 1000))
  const lease = await ahead.messages.lease()
  expect(JSON.parse(lease.chunks.join())).toMatchObject({ mobile: mobiles[2] })
  await ahead.close()
})
