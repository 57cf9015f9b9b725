import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import type { HttpsServer } from '../../support/https-server.ts'
import { useClockOfTests } from '../../support/postgres/clock.ts'
import { dataOf, mobiles, pushed, SmsClient, signed, timestamp } from './calls.ts'
import { expectRefusal, refusals } from './refusals.ts'
import { application, startSms } from './service.ts'

const [ONE = ''] = mobiles(1)
const OTHER_KEY = 'the key of another application'

useClockOfTests()

let server: HttpsServer
let client: SmsClient
let start: number

beforeEach(async () => {
  server = await startSms({
    app: { smsKey: application().smsKey ?? '' },
    other: { smsKey: OTHER_KEY },
    often: application({ intervalMs: 0 }),
    seldom: application({ intervalMs: 60_000 }),
  })
  client = new SmsClient(server.call)
  start = Date.now()
})

afterEach(async () => {
  setSystemTime()
  await server.stop()
})

/** Moves the clock to some time after the beginning. */
function at(ms: number): void {
  setSystemTime(new Date(start + ms))
}

/** One query, and when. */
interface Call {
  readonly at: number
  readonly good: boolean
}

function calls(...times: readonly (readonly [at: number, good: boolean])[]): readonly Call[] {
  return times.map(([at, good]) => ({ at, good }))
}

const rows: readonly { readonly name: string; readonly app?: string; readonly calls: readonly Call[] }[] = [
  { name: 'a second is a thousand milliseconds', calls: calls([0, true], [999, false], [1000, true]) },
  { name: 'not two at once', calls: calls([0, true], [0, false], [1, false]) },
  {
    name: 'a refused call does not put the next one off',
    calls: calls([0, true], [500, false], [900, false], [1000, true], [1999, false], [2000, true]),
  },
  { name: 'what was not asked for in time is not saved up', calls: calls([0, true], [9000, true], [9001, false]) },
  { name: 'a clock that goes back locks nobody out', calls: calls([0, true], [-3_600_000, true], [-3_599_001, false]) },
  { name: 'without an interval: any number', app: 'often', calls: calls([0, true], [0, true], [0, true], [1, true]) },
  { name: 'another interval', app: 'seldom', calls: calls([0, true], [59_999, false], [60_000, true]) },
]

async function play(app: string, calls: readonly Call[]): Promise<void> {
  const there = new SmsClient(server.call, app)
  for (const call of calls) {
    at(call.at)
    const answer = await there.news()
    if (call.good) expect(dataOf(answer)).toEqual([])
    else expectRefusal(answer, refusals.tooOften)
  }
}

for (const { name, app = 'app', calls } of rows) {
  test(name, () => play(app, calls))
}

test('both ways of asking are counted together', async () => {
  at(0)
  dataOf(await client.sendSigned('POST', 'v2/send', { timestamp: timestamp() }, 'form'))
  expectRefusal(await client.sendSigned('POST', 'v2/status', { timestamp: timestamp() }, 'form'), refusals.tooOften)
  expectRefusal(await client.sendSigned('POST', 'v2/send', { timestamp: timestamp() }, 'form'), refusals.tooOften)
  expectRefusal(await client.news(), refusals.tooOften)
})

test('each application is counted for itself', async () => {
  const other = new SmsClient(server.call, 'other', OTHER_KEY)
  at(0)
  for (const one of [client, other]) dataOf(await one.news())
  for (const one of [client, other]) expectRefusal(await one.news(), refusals.tooOften)
  at(1000)
  for (const one of [client, other]) dataOf(await one.news())
})

test('who cannot sign neither uses a turn up nor hears whose turn it is', async () => {
  const stranger = new SmsClient(server.call, 'app', OTHER_KEY)
  at(0)
  expectRefusal(await stranger.news(), refusals.signature)
  expectRefusal(await client.send('GET', 'v2/status', { timestamp: timestamp() }), refusals.noSignature)
  const old = signed({ timestamp: String(Date.now() - 60_001) })
  expectRefusal(await client.send('GET', 'v2/status', old), refusals.timestamp)
  dataOf(await client.news())
  expectRefusal(await stranger.news(), refusals.signature)
  expectRefusal(await client.send('GET', 'v2/status', old), refusals.timestamp)
  expectRefusal(await client.news(), refusals.tooOften)
})

test('a refused call takes no news away', async () => {
  const rrid = await client.record([ONE])
  at(0)
  dataOf(await client.news())
  await client.report(pushed(rrid, ONE))
  expectRefusal(await client.news(), refusals.tooOften)
  at(1000)
  expect(await client.fresh()).toHaveLength(1)
})

describe('nothing else is counted', () => {
  test('batches, reports, receipts, queries by rrid', async () => {
    at(0)
    dataOf(await client.news())
    for (let round = 0; round < 5; round++) {
      const rrid = await client.record([ONE])
      expect(await client.report(pushed(rrid, ONE))).toEqual({ accepted: 1, ignored: 0 })
      expect(await client.dlr({ rrid, mobile: ONE, stat: 'DELIVRD' })).toEqual({ accepted: 1, ignored: 0 })
      expect(await client.statuses(rrid)).toHaveLength(1)
    }
    expectRefusal(await client.news(), refusals.tooOften)
  })
})
