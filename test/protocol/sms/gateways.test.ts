import { afterEach, beforeAll, describe, expect, setSystemTime, test } from 'bun:test'
import { withServer } from '../../support/with-server.ts'
import { dataOf, type Fields, freshRrid, mobiles, pushed, SmsClient, signatureOf, timestamp } from './calls.ts'
import { expectRefusal, refusals } from './refusals.ts'
import { startSms } from './service.ts'
import { wrongReceipts } from './wrong-arguments.ts'

const [ONE = '', TWO = ''] = mobiles(2)

const server = withServer(startSms)
const client = new SmsClient(server.call)

afterEach(() => {
  setSystemTime()
})

describe('receipts', () => {
  const RECEIPT = 'id:{id} sub:001 dlvrd:001 submit date:1704201608 done date:1704201609 stat:DELIVRD err:000 text:hi'

  const rows: readonly {
    readonly name: string
    readonly fields: (rrid: string, messageId: string) => Fields
    readonly status: number
    readonly code: string
    readonly time: string
  }[] = [
    {
      name: 'by rrid and mobile',
      fields: (rrid) => ({ rrid, mobile: ONE, stat: 'DELIVRD', done: '1492675745000' }),
      ...{ status: 2, code: 'DELIVRD', time: '2017-04-20 16:09:05' },
    },
    {
      name: 'by message id',
      fields: (_, messageId) => ({ messageId, stat: 'MY:1109', done: '1492675745999' }),
      ...{ status: 3, code: 'MY:1109', time: '2017-04-20 16:09:05' },
    },
    {
      name: 'without a time: now',
      fields: (_, messageId) => ({ messageId, stat: 'DELIVRD' }),
      ...{ status: 2, code: 'DELIVRD', time: '2017-04-20 16:09:00' },
    },
    {
      name: 'with a code that nobody knows: a failure',
      fields: (_, messageId) => ({ messageId, stat: 'FINE' }),
      ...{ status: 3, code: 'FINE', time: '2017-04-20 16:09:00' },
    },
    {
      name: 'that is on its way',
      fields: (_, messageId) => ({ messageId, stat: 'ENROUTE' }),
      ...{ status: 1, code: 'ENROUTE', time: '' },
    },
    {
      name: 'of SMPP',
      fields: (_, messageId) => ({ receipt: RECEIPT.replace('{id}', messageId) }),
      ...{ status: 2, code: 'DELIVRD', time: '2017-04-20 16:09:00' },
    },
    {
      name: 'of SMPP with seconds',
      fields: (_, messageId) => ({ receipt: RECEIPT.replace('{id}', messageId).replace('01609', '0160907') }),
      ...{ status: 2, code: 'DELIVRD', time: '2017-04-20 16:09:07' },
    },
    {
      name: 'of SMPP whose text says something else',
      fields: (_, messageId) => ({
        receipt: `id:${messageId} submit date:1704201608 done date:1704201609 stat:UNDELIV err:001 text:stat:DELIVRD id:0`,
      }),
      ...{ status: 3, code: 'UNDELIV', time: '2017-04-20 16:09:00' },
    },
    {
      name: 'of SMPP with a Chinese text',
      fields: (_, messageId) => ({ receipt: RECEIPT.replace('{id}', messageId).replace('hi', '您的验证码 & 100%') }),
      ...{ status: 2, code: 'DELIVRD', time: '2017-04-20 16:09:00' },
    },
  ]

  test.each(rows)('$name', async ({ fields, status, code, time }) => {
    for (const [method, way] of [
      ['GET', 'query'],
      ['POST', 'query'],
      ['POST', 'form'],
    ] as const) {
      setSystemTime(new Date(1_492_675_740_231))
      const rrid = freshRrid()
      await client.record([ONE], { rrid, messageIds: JSON.stringify([`id-${rrid}`]) })
      expect(await client.dlr(fields(rrid, `id-${rrid}`), method, way)).toEqual({ accepted: 1, ignored: 0 })
      const record = { status, mobile: ONE, receiveTime: time, rrid, deliveryStatus: code }
      expect(await client.statuses(rrid)).toEqual([record])
      expect(await client.dlr(fields(rrid, `id-${rrid}`), method, way)).toEqual({ accepted: 1, ignored: 0 })
      expect((await client.fresh()).filter((fresh) => fresh.rrid === rrid)).toEqual(status < 2 ? [] : [record])
    }
  })

  beforeAll(() => client.record([ONE], { rrid: 'known', messageIds: '["known-1"]' }))

  test.each(wrongReceipts)('refused: $name', async ({ fields, refusal }) => {
    for (const [method, way] of [
      ['GET', 'query'],
      ['POST', 'form'],
    ] as const) {
      const all = { timestamp: timestamp(), ...fields }
      expectRefusal(await client.sendSigned(method, 'v1/dlr', all, way), refusal)
    }
    expect((await client.statuses('known')).map(({ status }) => status)).toEqual([0])
  })

  test('of messages that nobody has heard of are ignored', async () => {
    const rrid = await client.record([ONE])
    for (const fields of [{ rrid, mobile: TWO }, { rrid: 'none', mobile: ONE }, { messageId: 'none' }]) {
      expect(await client.dlr({ ...fields, stat: 'DELIVRD' })).toEqual({ accepted: 0, ignored: 1 })
    }
    expect(await client.dlr({ receipt: RECEIPT.replace('{id}', 'none') })).toEqual({ accepted: 0, ignored: 1 })
  })

  test('and pushes speak of the same messages', async () => {
    const rrid = await client.record([ONE], { messageIds: '["same-1"]' })
    expect(await client.dlr({ messageId: 'same-1', stat: 'ENROUTE' })).toEqual({ accepted: 1, ignored: 0 })
    expect(await client.report(pushed(rrid, ONE))).toEqual({ accepted: 1, ignored: 0 })
    expect(await client.dlr({ messageId: 'same-1', stat: 'EXPIRED' })).toEqual({ accepted: 0, ignored: 1 })
    expect(await client.dlr({ rrid, mobile: ONE, stat: 'DELIVRD' })).toEqual({ accepted: 1, ignored: 0 })
  })
})

describe('receipts of gateways that cannot sign', () => {
  /** What a gateway sends that was given a token. */
  async function bySource(fields: Fields, method = 'GET') {
    return client.send(method, 'v1/dlr', fields, method === 'GET' ? 'query' : 'form')
  }

  const token = (source: string, key?: string) => signatureOf({ source }, key)

  test.each(['kannel', 'a', 'A.b_c-9', 'x'.repeat(64)])('%s', async (source) => {
    for (const method of ['GET', 'POST']) {
      const rrid = await client.record([ONE])
      const message = { rrid, mobile: ONE, stat: 'DELIVRD' }
      expect(dataOf(await bySource({ ...message, source, token: token(source) }, method))).toEqual({
        accepted: 1,
        ignored: 0,
      })
      const upper = { ...message, source, token: token(source).toUpperCase() }
      expect(dataOf(await bySource(upper, method))).toEqual({ accepted: 1, ignored: 0 })
    }
  })

  test('a token of something else opens nothing', async () => {
    const rrid = await client.record([ONE])
    const message = { rrid, mobile: ONE, stat: 'DELIVRD' }
    const wrong = [
      token('other'),
      token('kannel', 'the key of another application'),
      signatureOf({ source: 'kannel', ...message }),
      signatureOf({}),
      'x',
      '0'.repeat(64),
    ]
    for (const shown of wrong) {
      expectRefusal(await bySource({ ...message, source: 'kannel', token: shown }), refusals.signature)
    }
    expect((await client.statuses(rrid)).map(({ status }) => status)).toEqual([0])
  })

  test.each(['a b', 'a/b', '小', 'x'.repeat(65)])('"%s" is no name of a source', async (source) => {
    const message = { messageId: 'none', stat: 'DELIVRD' }
    expectRefusal(await bySource({ ...message, source, token: token(source) }), refusals.arguments)
  })

  test('without a token there is no signature', async () => {
    const message = { messageId: 'none', stat: 'DELIVRD' }
    for (const fields of [{ source: 'kannel' }, { token: token('kannel') }]) {
      const { status, text } = await bySource({ ...message, ...fields })
      expect([status, [70002, 70206].includes(JSON.parse(text).errcode as number)]).toEqual([400, true])
    }
  })

  test('what it says is checked as ever', async () => {
    const source = { source: 'kannel', token: token('kannel') }
    expectRefusal(await bySource({ ...source, messageId: 'none' }), refusals.arguments)
    expectRefusal(await bySource({ ...source, messageId: 'none', stat: '小' }), refusals.arguments)
  })

  test('a token opens nothing but receipts', async () => {
    const source = { source: 'kannel', token: token('kannel') }
    const mobile = { mobiles: JSON.stringify([ONE]) }
    const rows = [
      ['GET', 'v2/status', source],
      ['GET', 'v2/status', { ...source, timestamp: timestamp() }],
      ['GET', 'v1/status', { ...source, rrid: 'none' }],
      ['POST', 'v1/batch/record', { ...source, ...mobile, timestamp: timestamp() }],
      ['POST', 'v1/report', { ...source, timestamp: timestamp() }],
    ] as const
    for (const [method, path, fields] of rows) {
      expectRefusal(await client.send(method, path, fields), refusals.noSignature)
      const asSignature = { ...fields, timestamp: timestamp(), rrid: 'none', signature: source.token }
      expectRefusal(await client.send(method, path, asSignature), refusals.signature)
    }
  })
})
