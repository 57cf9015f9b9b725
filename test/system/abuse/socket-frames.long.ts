import '../../support/long-lane.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { RawSocket } from '../../support/raw-socket.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { canWatch } from '../../support/watched-server.ts'
import { type HoldServer, startHoldServer } from './hold-server.ts'
import { HOSTILE_FRAMES, type HostileFrames, request, text } from './socket-frames.ts'

/** Number of the request behind all others. */
const LAST = 424_242

let server: HoldServer
let other: SdkClient

beforeAll(async () => {
  if (!canWatch) return
  // Wrong credentials are answered as such, however many.
  server = await startHoldServer({ FAILED_CREDENTIALS: '0' })
  other = await SdkClient.connect(server)
})

afterAll(async () => {
  await other?.[Symbol.asyncDispose]()
  await server?.stop()
})

/** Sends frames and then a request. @returns the statuses of the answers before that of the request, or the close code */
async function sent({ bytes, code, answers }: HostileFrames, prepared: Uint8Array = bytes()): Promise<unknown> {
  await using socket = await RawSocket.connect(server)
  socket.write(prepared)
  socket.write(text(request(LAST, 's', {})))
  const statuses = () => socket.texts.flatMap((each) => /"r":-?\d+,"b":\{"s":"(\w+)"/.exec(each)?.[1] ?? [])
  const last = `"r":${LAST}`
  await Promise.race([socket.until(() => socket.texts.at(-1)?.includes(last) === true), socket.closed.promise])
  if (code === undefined) return statuses().slice(0, answers?.length)
  const { code: found, reason } = await socket.closed.promise
  await socket.gone.promise
  return [found, reason !== '']
}

describe.skipIf(!canWatch).each(Object.entries(HOSTILE_FRAMES))('%s', (_, cases) => {
  test.each(cases.map((each) => [each.name, each] as const))('%s', async (_, each) => {
    const bytes = each.bytes()
    const expected = each.code === undefined ? each.answers : [each.code, true]
    const hold = await server.holdOf(async () => {
      const [found, { status }] = await Promise.all([sent(each, bytes), other.request('g', { p: '/small/0', q: {} })])
      expect(found).toEqual(expected)
      expect(status).toBe('ok')
      return 200
    }, 200)
    expect(hold).toBeLessThan(server.boundMs())
  })
})
