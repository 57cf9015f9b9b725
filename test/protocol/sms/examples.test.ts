import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import { connect as connectHttp2, constants } from 'node:http2'
import { connect } from 'node:tls'
import { http2Client } from '../../support/http2-client.ts'
import type { HttpsServer } from '../../support/https-server.ts'
import { useClockOfTests } from '../../support/postgres/clock.ts'
import { dataOf, encoded, mobiles, pushed, SmsClient, type Status, signed, timestamp } from './calls.ts'
import { expectRefusal, refusals } from './refusals.ts'
import { application, startSms } from './service.ts'

const [FIRST = '', SECOND = '', THIRD = ''] = mobiles(3)
const DAY_MS = 24 * 60 * 60 * 1000

useClockOfTests()

afterEach(() => {
  setSystemTime()
})

/** A batch of three of which two are final: the second and then the first. */
async function batchOfThree(
  client: SmsClient,
): Promise<{ rrid: string; first: Status; second: Status; third: Status }> {
  const rrid = await client.record([FIRST, SECOND, THIRD])
  await client.report(pushed(rrid, SECOND, 'MY:1109', { receiveTime: '2017-04-20 16:09:04' }))
  await client.report(pushed(rrid, FIRST))
  return {
    rrid,
    first: { status: 2, mobile: FIRST, receiveTime: '2017-04-20 16:09:05', rrid, deliveryStatus: 'DELIVRD' },
    second: { status: 3, mobile: SECOND, receiveTime: '2017-04-20 16:09:04', rrid, deliveryStatus: 'MY:1109' },
    third: { status: 0, mobile: THIRD, receiveTime: '', rrid, deliveryStatus: '' },
  }
}

function newsTarget(): string {
  return `/api/v2/app/status?${encoded(signed({ timestamp: timestamp() }))}`
}

/** Asks for the news, and goes away when what has come back is enough. */
async function cutNews(server: HttpsServer, isEnough: (received: string) => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let received = ''
  const socket = connect({ host: '127.0.0.1', port: server.port, ca: server.ca, servername: 'localhost' }, () => {
    socket.write(`GET ${newsTarget()} HTTP/1.1\r\nHost: localhost\r\n\r\n`, () => {
      if (isEnough('')) socket.destroy()
    })
  })
  socket.on('data', (bytes: Buffer) => {
    received += bytes.toString('latin1')
    if (isEnough(received)) socket.destroy()
  })
  socket.on('error', () => {})
  socket.on('close', () => resolve())
  return promise
}

/** Asks until there is something to tell: what a cut connection had is offered again when the cut is seen. */
async function freshOnceSeen(client: SmsClient): Promise<readonly Status[]> {
  for (;;) {
    const fresh = await client.fresh()
    if (fresh.length > 0) return fresh
  }
}

describe.each(['HTTP/1.1', 'HTTP/2'] as const)('over %s', (protocol) => {
  test('103: the news are told once, oldest first', async () => {
    await using server = await startSms({ app: application({ intervalMs: 1000 }) })
    await using http2 = http2Client(server.url, server.ca)
    const client = new SmsClient(protocol === 'HTTP/2' ? http2.call : server.call)
    const { first, second } = await batchOfThree(client)
    expect(await client.fresh()).toEqual([second, first])
    setSystemTime(new Date(Date.now() + 1100))
    expect((await client.news()).text).toBe('{"status":"ok","data":[]}')
  })

  test('104: a second call within a second is refused', async () => {
    await using server = await startSms({ app: application({ intervalMs: 1000 }) })
    await using http2 = http2Client(server.url, server.ca)
    const client = new SmsClient(protocol === 'HTTP/2' ? http2.call : server.call)
    const { first, second } = await batchOfThree(client)
    setSystemTime(new Date())
    expect(await client.fresh()).toEqual([second, first])
    expectRefusal(await client.news(), refusals.tooOften)
  })

  test('105: a batch is told whole, and does not move what the news have told', async () => {
    await using server = await startSms()
    await using http2 = http2Client(server.url, server.ca)
    const client = new SmsClient(protocol === 'HTTP/2' ? http2.call : server.call)
    const { rrid, first, second, third } = await batchOfThree(client)
    expect(await client.statuses(rrid)).toEqual([first, second, third])
    const posted = await client.sendSigned('POST', 'v1/send', { rrid }, 'form')
    expect(dataOf(posted)).toEqual([first, second, third])
    expect(await client.fresh()).toEqual([second, first])
    expect(await client.statuses(rrid)).toEqual([first, second, third])
    expect(await client.fresh()).toEqual([])
  })

  test('106: 61 seconds are too long ago, a signature is needed, in letters of either case', async () => {
    await using server = await startSms()
    await using http2 = http2Client(server.url, server.ca)
    const client = new SmsClient(protocol === 'HTTP/2' ? http2.call : server.call)
    const old = String(Date.now() - 61_000)
    expectRefusal(await client.sendSigned('GET', 'v2/status', { timestamp: old }), refusals.timestamp)
    expectRefusal(await client.send('GET', 'v2/status', { timestamp: timestamp() }), refusals.noSignature)
    const { signature = '', ...rest } = signed({ timestamp: timestamp() })
    const upper = { ...rest, signature: signature.toUpperCase() }
    expect(dataOf(await client.send('GET', 'v2/status', upper))).toEqual([])
  })
})

for (const [age, told] of [
  [DAY_MS + 1000, false],
  [DAY_MS, false],
  [DAY_MS - 1, true],
] as const) {
  test(`107: what became final ${age} ms ago is news: ${told}`, () => ageTest(age, told))
}

async function ageTest(age: number, told: boolean): Promise<void> {
  await using server = await startSms()
  const client = new SmsClient(server.call)
  const produced = Date.now()
  setSystemTime(new Date(produced))
  const rrid = await client.record([FIRST])
  await client.report(pushed(rrid, FIRST))
  setSystemTime(new Date(produced + age))
  const record = { status: 2, mobile: FIRST, receiveTime: '2017-04-20 16:09:05', rrid, deliveryStatus: 'DELIVRD' }
  expect(await client.fresh()).toEqual(told ? [record] : [])
  expect(await client.statuses(rrid)).toEqual([record])
}

test('108: two calls at once are told different news', async () => {
  await using server = await startSms()
  const client = new SmsClient(server.call)
  const expected: string[] = []
  for (let batch = 0; batch < 10; batch++) {
    const numbers = mobiles(100, batch * 100)
    const rrid = await client.record(numbers)
    await client.report(...numbers.map((mobile) => pushed(rrid, mobile)))
    expected.push(...numbers)
  }
  const both = (await Promise.all([client.fresh(), client.fresh()])).flat().map(({ mobile }) => mobile)
  expect(both.sort()).toEqual(expected)
  expect(await client.fresh()).toEqual([])
})

test.each([
  { cut: 'as soon as the request is out', isEnough: () => true },
  { cut: 'before the body', isEnough: (received: string) => received.includes('\r\n\r\n') },
  { cut: 'after the first record', isEnough: (received: string) => received.includes('DELIVRD') },
])('109: a client that goes away $cut is told all of it again', async ({ isEnough }) => {
  await using server = await startSms()
  const client = new SmsClient(server.call)
  const numbers = mobiles(100)
  const rrid = await client.record(numbers)
  await client.report(...numbers.map((mobile) => pushed(rrid, mobile)))
  await cutNews(server, isEnough)
  expect((await freshOnceSeen(client)).map(({ mobile }) => mobile)).toEqual([...numbers])
  expect(await client.fresh()).toEqual([])
})

test.each(['RST_STREAM', 'the connection'])('109 over HTTP/2: a client that goes away by %s', async (by) => {
  await using server = await startSms()
  const client = new SmsClient(server.call)
  const numbers = mobiles(100)
  const rrid = await client.record(numbers)
  await client.report(...numbers.map((mobile) => pushed(rrid, mobile)))
  const session = connectHttp2(server.url, { ca: server.ca })
  const stream = session.request({ [constants.HTTP2_HEADER_PATH]: newsTarget() })
  const gone = Promise.withResolvers<void>()
  stream.on('response', () => {
    if (by === 'RST_STREAM') stream.close(constants.NGHTTP2_CANCEL)
    else session.destroy()
  })
  stream.on('error', () => {})
  stream.on('close', () => gone.resolve())
  await gone.promise
  expect((await freshOnceSeen(client)).map(({ mobile }) => mobile)).toEqual([...numbers])
  session.destroy()
})

test('110: delivered is delivered, whatever comes later', async () => {
  await using server = await startSms()
  const client = new SmsClient(server.call)
  const rrid = await client.record([FIRST])
  expect(await client.report(pushed(rrid, FIRST))).toEqual({ accepted: 1, ignored: 0 })
  expect(await client.report(pushed(rrid, FIRST, 'UNDELIV'))).toEqual({ accepted: 0, ignored: 1 })
  const record = { status: 2, mobile: FIRST, receiveTime: '2017-04-20 16:09:05', rrid, deliveryStatus: 'DELIVRD' }
  expect(await client.statuses(rrid)).toEqual([record])
  expect(await client.fresh()).toEqual([record])
  expect(await client.fresh()).toEqual([])
})
