import { expect, test } from 'bun:test'
import { openClosedApplication } from '../../../src/closed-application.ts'
import type { Messages } from '../../../src/sms/messages.ts'
import { tempDir } from '../../support/temp-dir.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const [ONE, TWO] = ['13800138000', '13800138001']

async function withMessages(use: (messages: Messages) => Promise<void>): Promise<void> {
  await using dir = await tempDir()
  const { messages, close } = await openClosedApplication(dir.path, 'app', { sms: { intervalMs: 0 } })
  await use(messages)
  await close()
}

async function statesOf(messages: Messages, rrid: string): Promise<readonly number[]> {
  return JSON.parse(await messages.batch(rrid)).data.map(({ status }: { status: number }) => status)
}

function failed(messageId: string): Parameters<Messages['report']>[0] {
  return [{ message: { messageId }, state: 3, code: 'UNDELIV', receivedAt: Date.now() }]
}

function imported(rrid: string, mobile: string, daysAgo: number, messageId: string): Parameters<Messages['import']>[0] {
  return [{ rrid, mobile, status: 0, deliveryStatus: '', submittedAt: Date.now() - daysAgo * DAY_MS, messageId }]
}

test('of messages of one id the one submitted last is meant, whatever was imported since', () =>
  withMessages(async (messages) => {
    await messages.import(imported('older', ONE, 2, 'id'))
    await messages.record({ rrid: 'live', mobiles: [ONE, TWO], messageIds: ['id', 'other'] })
    await messages.import(imported('old', ONE, 1, 'id'))
    expect(await messages.report(failed('id'))).toEqual({ accepted: 1, ignored: 0 })
    expect(await statesOf(messages, 'live')).toEqual([3, 0])
    expect([await statesOf(messages, 'old'), await statesOf(messages, 'older')]).toEqual([[0], [0]])
    await messages.record({ rrid: 'newest', mobiles: [TWO], messageIds: ['id'] })
    expect(await messages.report(failed('id'))).toEqual({ accepted: 1, ignored: 0 })
    expect(await statesOf(messages, 'newest')).toEqual([3])
  }))

test('ids that become known later are imported', () =>
  withMessages(async (messages) => {
    await messages.record({ rrid: 'batch', mobiles: [ONE, TWO] })
    expect(await messages.import(imported('batch', ONE, 0, 'x'))).toEqual({ added: 0, known: 0, changed: 1 })
    expect(await messages.import(imported('batch', ONE, 0, 'x'))).toEqual({ added: 0, known: 1, changed: 0 })
    // One that is there already stays.
    expect(await messages.import(imported('batch', ONE, 0, 'y'))).toEqual({ added: 0, known: 1, changed: 0 })
    const moved = imported('batch', TWO, 0, 'z').map((record) => ({
      ...record,
      ...({ status: 1, deliveryStatus: 'ENROUTE', receivedAt: Date.now() } as const),
    }))
    expect(await messages.import(moved)).toEqual({ added: 0, known: 0, changed: 1 })
    expect(await statesOf(messages, 'batch')).toEqual([0, 1])
    for (const id of ['x', 'z']) expect(await messages.report(failed(id))).toEqual({ accepted: 1, ignored: 0 })
    expect(await messages.report(failed('y'))).toEqual({ accepted: 0, ignored: 1 })
    expect(await statesOf(messages, 'batch')).toEqual([3, 3])
  }))
