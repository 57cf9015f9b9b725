import { describe, expect, test } from 'bun:test'
import { withServer } from '../../support/with-server.ts'
import type { Call } from './interpreter.ts'

const server = withServer()

const times = <T>(number: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: number }, (_, index) => make(index)))

/** Reads, adds one and writes back, until nobody came between. */
async function addOne(call: Call): Promise<void> {
  for (;;) {
    const { text, headers } = await call('GET', '/sum.json', { headers: { 'X-Firebase-ETag': 'true' } })
    const etag = headers.get('etag') ?? ''
    const body = String(Number(JSON.parse(text)) + 1)
    const { status } = await call('PUT', '/sum.json', { body, headers: { 'if-match': etag } })
    if (status === 200) return
    expect(status).toBe(412)
  }
}

describe.each([['HTTP/1.1'], ['HTTP/2']])('%s', (protocol) => {
  const call: Call = (...request) => (protocol === 'HTTP/2' ? server.http2(...request) : server.call(...request))

  test('compare-and-set from many clients loses nothing', async () => {
    await call('PUT', '/sum.json', { body: '0' })
    await times(12, async () => {
      for (let round = 0; round < 5; round++) await addOne(call)
    })
    expect((await call('GET', '/sum.json')).text).toBe('60')
  })

  test('of many writes on the same condition one wins', async () => {
    await call('DELETE', '/lock.json')
    const headers = { 'if-match': 'null_etag' }
    const answers = await times(30, (index) => call('PUT', '/lock.json', { body: String(index), headers }))
    const [winner, ...others] = answers.filter(({ status }) => status === 200)
    expect(others).toEqual([])
    const losers = answers.filter(({ status }) => status === 412)
    expect(losers).toHaveLength(29)
    expect(new Set(losers.map(({ text }) => text))).toEqual(new Set([winner?.text ?? '']))
  })

  test('increments from many clients add up, and each sees its own sum', async () => {
    await call('DELETE', '/n.json')
    const body = '{".sv":{"increment":1}}'
    const answers = await times(200, () => call('PUT', '/n.json', { body }))
    const sums = answers.map(({ text }) => Number(text)).sort((left, right) => left - right)
    expect(sums).toEqual(Array.from({ length: 200 }, (_, index) => index + 1))
    expect((await call('GET', '/n.json')).text).toBe('200')
  })

  test('names of concurrent POSTs are all different', async () => {
    await call('DELETE', '/list.json')
    const answers = await times(200, (index) => call('POST', '/list.json', { body: String(index) }))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(200)
    expect((await call('GET', '/list.json?count=true')).text).toBe('200')
  })
})
