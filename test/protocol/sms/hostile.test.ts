import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { withServer } from '../../support/with-server.ts'
import { encoded, FORM, mobiles, pushed, SmsClient, signed, timestamp } from './calls.ts'
import { expectRefusal, refusals } from './refusals.ts'
import { startSms } from './service.ts'

const server = withServer(startSms)
const client = new SmsClient(server.call)

describe('what a stranger sends is not worth more work than sending it', () => {
  test.each(['gzip', 'GZIP', 'x-gzip', 'br', 'deflate', 'gzip, gzip'])(
    'a body with Content-Encoding %s',
    async (type) => {
      const headers = { ...FORM, 'Content-Encoding': type }
      const form = gzipSync(encoded(signed({ timestamp: timestamp() })))
      expectRefusal(
        await server.call('POST', '/api/v2/app/status', { headers, body: form }),
        refusals.arguments,
        /compressed/,
      )
      const push = gzipSync(JSON.stringify({ type: 1, data: [pushed('r', mobiles(1)[0] ?? '')] }))
      const target = `/api/v1/app/report?${encoded(signed({ timestamp: timestamp() }))}`
      expectRefusal(await server.call('POST', target, { headers, body: push }), refusals.arguments, /compressed/)
    },
  )

  test.each(['identity', 'Identity', ''])('Content-Encoding %j is none', async (type) => {
    const headers = { ...FORM, 'Content-Encoding': type }
    const body = encoded(signed({ timestamp: timestamp() }))
    expect((await server.call('POST', '/api/v2/app/status', { headers, body })).status).toBe(200)
  })

  test.each(['query', 'form'] as const)('parameters in the %s, far more than any call has', async (way) => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, ''] as const))
    const most = { ...fields(97), rrid: 'r', timestamp: timestamp() }
    const answer = await client.sendSigned('POST', 'v1/status', most, way)
    expect(answer.status).toBe(200)
    expectRefusal(
      await client.sendSigned('POST', 'v1/status', { ...most, more: '' }, way),
      refusals.arguments,
      /at most 100/,
    )
  })
})
