import { afterEach, beforeAll, describe, expect, setSystemTime, test } from 'bun:test'
import { useClockOfTests } from '../../support/postgres/clock.ts'
import { withServer } from '../../support/with-server.ts'
import { dataOf, encoded, freshRrid, mobiles, pushed, SmsClient, signed, timestamp } from './calls.ts'
import { lives, type Told } from './message-lives.ts'
import { expectRefusal, refusals } from './refusals.ts'
import { application, startSms } from './service.ts'
import { wrongBatches, wrongPushes } from './wrong-arguments.ts'

const [ONE = '', TWO = '', THREE = ''] = mobiles(3)

useClockOfTests()

const server = withServer(() => startSms({ app: application(), abroad: application({ mobile: '^\\+[0-9]{5,15}$' }) }))
const client = new SmsClient(server.call)

afterEach(() => {
  setSystemTime()
})

describe('taking a batch in', () => {
  test('its name tells the time, and is another one each time', async () => {
    const now = Date.now()
    setSystemTime(new Date(now))
    const made = [await client.record([ONE]), await client.record([ONE])]
    for (const rrid of made) {
      expect(rrid).toMatch(/^[0-9a-f]{18}$/)
      expect(Number.parseInt(rrid.slice(0, 11), 16)).toBe(now)
    }
    expect(made[0]).not.toBe(made[1] ?? '')
  })

  test.each(['x', 'A-b_9', 'x'.repeat(64), '0', '-', 'E97539AF58F44A0092'])('it may be called %s', async (rrid) => {
    const answer = await client.batch({ rrid, mobiles: JSON.stringify([ONE]) })
    expect(answer.text).toBe(`{"status":"ok","data":{"rrid":"${rrid}"}}`)
    expect(await client.statuses(rrid)).toHaveLength(1)
  })

  test('of 100 numbers', async () => {
    const rrid = await client.record(mobiles(100))
    expect((await client.statuses(rrid)).map(({ status, mobile }) => [status, mobile])).toEqual(
      mobiles(100).map((mobile) => [0, mobile]),
    )
  })

  test.each(wrongBatches)('refused: $name', async ({ fields, refusal, hint }) => {
    const rrid = freshRrid()
    expectRefusal(await client.batch({ rrid, ...fields }), refusal, hint)
    expect(await client.statuses(rrid)).toEqual([])
  })

  test('once more: the same answer, and nothing changes; another one of that name is refused', async () => {
    const rrid = freshRrid()
    const record = (numbers: readonly string[]) => client.batch({ rrid, mobiles: JSON.stringify(numbers) })
    const first = await record([ONE, TWO])
    await client.report(pushed(rrid, ONE))
    const before = await client.statuses(rrid)
    expect((await record([ONE, TWO])).text).toBe(first.text)
    for (const numbers of [[TWO, ONE], [ONE], [ONE, TWO, THREE], [ONE, THREE], [THREE]]) {
      expectRefusal(await record(numbers), refusals.arguments)
    }
    expect(await client.statuses(rrid)).toEqual(before)
  })

  test('the same one many times at once is there once', async () => {
    const rrid = freshRrid()
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.record([ONE, TWO], { rrid })))
    expect(new Set(answers)).toEqual(new Set([rrid]))
    expect(await client.statuses(rrid)).toHaveLength(2)
  })

  test('numbers are of the form that the application wants', async () => {
    const abroad = new SmsClient(server.call, 'abroad')
    const rrid = await abroad.record(['+4930123456', '+12025550123'])
    expect((await abroad.statuses(rrid)).map(({ mobile }) => mobile)).toEqual(['+4930123456', '+12025550123'])
    expectRefusal(await abroad.batch({ mobiles: JSON.stringify([ONE]) }), refusals.mobile, new RegExp(ONE))
  })
})

/** Code and status of a report: `FINE+` is an unknown code that is said to be a success. */
function reportOf(rrid: string, told: string) {
  if (!/[+-]$/.test(told)) return pushed(rrid, ONE, told)
  return pushed(rrid, ONE, told.slice(0, -1), { status: told.endsWith('+') ? 'Success' : 'Failure' })
}

describe('reports', () => {
  test.each(lives)('$told: in the end $status $code', async ({ told, status, code, accepted, ignored }) => {
    const rrid = await client.record([ONE])
    const count = { accepted: 0, ignored: 0 }
    for (const codes of told) {
      const together: Told = typeof codes === 'string' ? [codes] : codes
      const counted = await client.report(...together.map((each) => reportOf(rrid, each)))
      count.accepted += counted.accepted
      count.ignored += counted.ignored
    }
    const receiveTime = status < 2 ? '' : '2017-04-20 16:09:05'
    const record = { status, mobile: ONE, receiveTime, rrid, deliveryStatus: code }
    expect(await client.statuses(rrid)).toEqual([record])
    expect(count).toEqual({ accepted, ignored })
    expect((await client.fresh()).filter((fresh) => fresh.rrid === rrid)).toEqual(status < 2 ? [] : [record])
    expect(await client.fresh()).toEqual([])
  })

  test.each(['ENROUTE', 'ACCEPTD', 'BUFFRED'])('%s is on its way whatever its status', async (code) => {
    const rrid = await client.record([ONE, TWO])
    const [good, bad] = [{ status: 'Success' }, { status: 'Failure' }] as const
    await client.report(pushed(rrid, ONE, code, good), pushed(rrid, TWO, code, bad))
    expect((await client.statuses(rrid)).map(({ status }) => status)).toEqual([1, 1])
  })

  test('of several batches in one call, those of unknown messages among them', async () => {
    const [first, second] = [await client.record([ONE, TWO]), await client.record([ONE])]
    const reports = [
      pushed(first, TWO),
      pushed('no-such-batch', ONE),
      pushed(second, ONE, 'UNDELIV'),
      pushed(second, TWO),
      pushed(first, ONE, 'REJECTD'),
    ]
    expect(await client.report(...reports)).toEqual({ accepted: 3, ignored: 2 })
    expect((await client.statuses(first)).map(({ status }) => status)).toEqual([3, 2])
    expect((await client.statuses(second)).map(({ status }) => status)).toEqual([3])
    expect(await client.report(...reports)).toEqual({ accepted: 3, ignored: 2 })
  })

  test('that come before their batch are lost; told again they count', async () => {
    const rrid = freshRrid()
    expect(await client.report(pushed(rrid, ONE))).toEqual({ accepted: 0, ignored: 1 })
    await client.record([ONE], { rrid })
    expect((await client.statuses(rrid)).map(({ status }) => status)).toEqual([0])
    expect(await client.report(pushed(rrid, ONE))).toEqual({ accepted: 1, ignored: 0 })
  })

  test('the body is what is signed', async () => {
    const rrid = await client.record([ONE])
    const body = JSON.stringify({ type: 1, data: [pushed(rrid, ONE)] })
    const { body: _, ...fields } = signed({ timestamp: timestamp(), body })
    const other = body.replace('"Success"', '"Success" ')
    const target = `/api/v1/app/report?${encoded(fields)}`
    expectRefusal(await server.call('POST', target, { body: other }), refusals.signature)
    expectRefusal(await server.call('POST', target), refusals.signature)
    expect((await client.statuses(rrid)).map(({ status }) => status)).toEqual([0])
    const type = { 'Content-Type': 'application/json; charset=utf-8' }
    expect(dataOf(await server.call('POST', target, { body, headers: type }))).toEqual({ accepted: 1, ignored: 0 })
  })

  describe('refused whole', () => {
    beforeAll(() => client.record([ONE], { rrid: 'known', messageIds: '["known-1"]' }))

    test.each(wrongPushes)('$name', async ({ body, refusal, hint }) => {
      expectRefusal(await client.push(body), refusal, hint)
      expect((await client.statuses('known')).map(({ status }) => status)).toEqual([0])
    })
  })
})
