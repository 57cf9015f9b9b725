import { Database as Client } from 'bun:sqlite'
import { expect, spyOn, test } from 'bun:test'
import { openClosedApplication } from '../../../src/closed-application.ts'
import { tempDir } from '../../support/temp-dir.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MOBILE = '13800138000'

/** Every statement on the tables of messages that goes over a connection while they are used for everything. */
async function statements(dataDir: string): Promise<readonly string[]> {
  const prepared = new Set<string>()
  const original = Client.prototype.prepare
  const prepare = spyOn(Client.prototype, 'prepare').mockImplementation(function (this: Client, text: string) {
    prepared.add(text)
    return original.call(this, text)
  } as typeof original)
  try {
    const { messages, close } = await openClosedApplication(dataDir, 'app', {
      sms: { intervalMs: 0, retentionDays: 1 },
    })
    const now = Date.now()
    const rrid = await messages.record({ mobiles: [MOBILE], messageIds: ['id'] })
    await messages.record({ rrid, mobiles: [MOBILE] })
    const message = { rrid, mobile: MOBILE }
    await messages.report([{ message: { messageId: 'id' }, state: 2, code: 'DELIVRD', receivedAt: now }])
    await messages.report([{ message, state: 3, code: 'UNDELIV', receivedAt: now }])
    await messages.batch(rrid)
    const many = Array.from({ length: 10 }, (_, at) => `1380013800${at}`)
    const final = await messages.record({ mobiles: many })
    await messages.report(
      many.map((mobile) => ({ message: { rrid: final, mobile }, state: 2, code: 'DELIVRD', receivedAt: now })),
    )
    await messages.batch(final)
    await (await messages.lease()).acknowledge()
    const old = { rrid: 'old', mobile: MOBILE, status: 0, deliveryStatus: '', submittedAt: now - 2 * DAY_MS } as const
    await messages.import([old])
    await messages.export(undefined, 10)
    await messages.batches(undefined, 10)
    await messages.search({ rrid: final }, undefined, 10)
    await messages.search({ rrid: final, mobile: MOBILE }, undefined, 10)
    await messages.search({ mobile: MOBILE }, undefined, 10)
    await messages.purge()
    expect(JSON.parse(await messages.batch('old')).data).toEqual([])
    await close()
  } finally {
    prepare.mockRestore()
  }
  return [...prepared].filter((text) => text.includes('sms_') && !/^\s*create/i.test(text))
}

test('no statement looks through a table or sorts', async () => {
  await using dir = await tempDir()
  const texts = await statements(dir.path)
  using client = new Client(`${dir.path}/apps/app.sqlite`, { readonly: true })
  const plans = texts.map((text) => [
    text,
    client
      .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`)
      .all()
      .map(({ detail }) => detail),
  ])
  // The counts are ten rows that are read together.
  const few = plans.filter(([text]) => !/from "sms_count"/.test(String(text)))
  const bad = few.filter(([, plan]) => /SCAN|TEMP B-TREE/.test(String(plan)))
  expect(bad).toEqual([])
  expect(few.length).toBeGreaterThan(28)
})
