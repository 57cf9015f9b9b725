import { Database as Client } from 'bun:sqlite'
import { afterEach, expect, setSystemTime, test } from 'bun:test'
import fc from 'fast-check'
import { openClosedApplication } from '../../../src/closed-application.ts'
import { treeFile } from '../../../src/data-folder/tree-file.ts'
import type { Messages } from '../../../src/sms/messages.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const START = Date.parse('2026-03-01T12:00:00Z')
const RRID = 'batch'

afterEach(() => {
  setSystemTime()
})

function mobilesOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => String(13_800_000_000 + at))
}

/** Uses the messages of an application that is then closed. */
async function withMessages<T>(
  dir: TempDir,
  use: (messages: Messages) => Promise<T> | T,
  timeZone = '+08:00',
): Promise<T> {
  const { messages, close } = await openClosedApplication(dir.path, 'app', { sms: { timeZone, retentionDays: 30 } })
  try {
    return await use(messages)
  } finally {
    await close()
  }
}

function report(messages: Messages, mobiles: readonly string[]): Promise<unknown> {
  return messages.report(
    mobiles.map((mobile) => ({ message: { rrid: RRID, mobile }, state: 2, code: 'DELIVRD', receivedAt: START })),
  )
}

/** A batch whose messages are all delivered. */
function writeFinal(dir: TempDir, count: number): Promise<void> {
  return withMessages(dir, async (messages) => {
    await messages.record({ rrid: RRID, mobiles: mobilesOf(count) })
    await report(messages, mobilesOf(count))
  })
}

function onFile<T>(dir: TempDir, use: (client: Client) => T): T {
  using client = new Client(treeFile(dir.path, 'app'))
  return use(client)
}

function storedTexts(dir: TempDir): readonly string[] {
  return onFile(dir, (client) =>
    client
      .query<{ text: string }, []>('SELECT text FROM sms_text')
      .all()
      .map(({ text }) => text),
  )
}

function answer(dir: TempDir, timeZone?: string): Promise<string> {
  return withMessages(dir, async (messages) => await messages.batch(RRID), timeZone)
}

test.each([
  [9, 0],
  [10, 1],
  [500, 1],
  [501, 0],
])('%d messages that are all final have %d stored texts', async (count, texts) => {
  await using dir = await tempDir()
  await writeFinal(dir, count)
  const stored = storedTexts(dir)
  expect(stored).toHaveLength(texts)
  expect(JSON.parse(await answer(dir)).data).toHaveLength(count)
  if (stored[0] !== undefined) expect(await answer(dir)).toBe(stored[0])
})

test('the text is stored with the report that makes the last message final', async () => {
  await using dir = await tempDir()
  const [last = '', ...others] = mobilesOf(12)
  await withMessages(dir, async (messages) => {
    await messages.record({ rrid: RRID, mobiles: [...others, last] })
    for (const mobile of others.toReversed()) await report(messages, [mobile])
  })
  expect(storedTexts(dir)).toEqual([])
  await withMessages(dir, (messages) => report(messages, [last]))
  expect(storedTexts(dir)).toHaveLength(1)
})

test('a stored text is the answer, unless another time zone wrote it', async () => {
  await using dir = await tempDir()
  await writeFinal(dir, 10)
  const east = await answer(dir)
  expect(east).toContain('2026-03-01 20:00:00')
  onFile(dir, (client) => client.run("UPDATE sms_text SET text = 'stored'"))
  expect(await answer(dir)).toBe('stored')
  expect(await answer(dir, 'Europe/Berlin')).toBe(east.replaceAll('20:00:00', '13:00:00'))
})

test('a batch of before, which has no text, is answered from its messages', async () => {
  await using dir = await tempDir()
  await writeFinal(dir, 10)
  const before = await answer(dir)
  onFile(dir, (client) => client.run('DELETE FROM sms_text'))
  expect(await answer(dir)).toBe(before)
})

test('a message added to a final batch takes its text away until it is final too', async () => {
  await using dir = await tempDir()
  await writeFinal(dir, 10)
  const added = { rrid: RRID, mobile: '13900000000', status: 1, deliveryStatus: 'ENROUTE', submittedAt: START } as const
  await withMessages(dir, (messages) => messages.import([added]))
  expect(storedTexts(dir)).toEqual([])
  expect(JSON.parse(await answer(dir)).data).toHaveLength(11)
  const final = { ...added, status: 3, deliveryStatus: 'UNDELIV', receivedAt: START } as const
  await withMessages(dir, (messages) => messages.import([final]))
  expect(storedTexts(dir)).toEqual([await answer(dir)])
})

test('an import of final messages stores texts', async () => {
  await using dir = await tempDir()
  const final = { rrid: RRID, status: 2, deliveryStatus: 'DELIVRD', submittedAt: START, receivedAt: START } as const
  await withMessages(dir, (messages) => messages.import(mobilesOf(20).map((mobile) => ({ ...final, mobile }))))
  expect(storedTexts(dir)).toEqual([await answer(dir)])
})

test('a text is deleted with the messages of its batch', async () => {
  await using dir = await tempDir()
  setSystemTime(new Date(START))
  await writeFinal(dir, 10)
  setSystemTime(new Date(START + 31 * DAY_MS))
  await withMessages(dir, (messages) => messages.purge())
  expect(storedTexts(dir)).toEqual([])
  expect(JSON.parse(await answer(dir)).data).toEqual([])
})

test('the text of a new batch is stored whatever batch had its row id before', async () => {
  await using dir = await tempDir()
  await withMessages(dir, async (messages) => {
    setSystemTime(START - 60 * DAY_MS)
    await messages.record({ rrid: 'old', mobiles: mobilesOf(20) })
    // Remembers that a later message is open.
    await messages.report([
      { message: { rrid: 'old', mobile: mobilesOf(1)[0] ?? '' }, state: 2, code: 'DELIVRD', receivedAt: START },
    ])
    setSystemTime(START)
    await messages.purge()
    await messages.record({ rrid: RRID, mobiles: mobilesOf(12) })
    await report(messages, mobilesOf(12))
  })
  expect(storedTexts(dir)).toHaveLength(1)
})

test('a text is stored whichever message becomes final last, also after a transaction that was rolled back', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([...mobilesOf(12)], { minLength: 12 }),
      fc.nat(11),
      async (mobiles, failing) => {
        await using dir = await tempDir()
        await withMessages(dir, async (messages) => {
          await messages.record({ rrid: RRID, mobiles: mobilesOf(12) })
          for (const [at, mobile] of mobiles.entries()) {
            if (at === failing) await expect(reportThenFail(messages, mobile)).rejects.toThrow('broken')
            await report(messages, [mobile])
          }
        })
        expect(storedTexts(dir)).toHaveLength(1)
      },
    ),
    { numRuns: 30 },
  )
})

/** Reports a message in a transaction that is rolled back. */
async function reportThenFail(messages: Messages, mobile: string): Promise<void> {
  const broken = {
    rrid: RRID,
    get mobile(): string {
      throw new Error('broken')
    },
  }
  const rest = { state: 2, code: 'DELIVRD', receivedAt: START } as const
  await messages.report([
    { message: { rrid: RRID, mobile }, ...rest },
    { message: broken, ...rest },
  ])
}
