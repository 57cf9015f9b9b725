import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { signatureOf } from '../../../src/sms/model/signature.ts'
import { type ConsoleServer, startConsole } from './console-server.ts'

const KEY = 'the key of the text messages of these tests'
const LONG = 1200
const number = (at: number) => String(13_800_000_000 + at)

let server: ConsoleServer

beforeAll(async () => {
  server = await startConsole({ SMS_KEY: KEY })
  // More batches than one call searches, a long one, and one with every state.
  const message = (rrid: string, at: number, status: 0 | 1 | 2 | 3, submittedAt: number) => ({
    ...{ rrid, mobile: number(at), status, submittedAt },
    ...(status < 2
      ? { deliveryStatus: '' }
      : { deliveryStatus: status === 2 ? 'DELIVRD' : 'UNDELIV', receivedAt: submittedAt }),
  })
  const start = Date.now() - 1_000_000
  const all = [
    message('oldest', 7, 0, start),
    ...Array.from({ length: 2100 }, (_, at) => message(`batch-${at}`, at, 0, start + at)),
    ...Array.from({ length: LONG }, (_, at) => message('long', at, 0, start + 3000)),
    ...([0, 1, 2, 3, 2] as const).map((status, at) => message('mixed', at, status, start + 4000)),
  ]
  for (let from = 0; from < all.length; from += 500) {
    await server.local('sms-import', { id: 'app', page: all.slice(from, from + 500) })
  }
}, 120_000)
afterAll(() => server[Symbol.asyncDispose]())

const batches = (after?: string) =>
  server.admin('sms-batches', { id: 'app', ...(after === undefined ? {} : { after }) })
const search = (what: { number?: string; rrid?: string; after?: string }) =>
  server.admin('sms-search', { id: 'app', ...what })

describe('batches', () => {
  test('are listed page by page, the newest first, with their states', async () => {
    const first = await batches()
    expect(first.batches).toHaveLength(100)
    expect(first.batches.slice(0, 3)).toEqual([
      {
        ...{ id: 'mixed', count: 5, states: { notSent: 1, sending: 1, delivered: 2, failed: 1 } },
        ...{ createdAt: expect.any(Number), isCut: false },
      },
      // Only the first thousand messages are counted.
      expect.objectContaining({ id: 'long', count: 1000, isCut: true }),
      expect.objectContaining({ id: 'batch-2099', count: 1 }),
    ])
    const ids = first.batches.map(({ id }) => id)
    let { next } = first
    while (next !== undefined) {
      const page = await batches(next)
      ids.push(...page.batches.map(({ id }) => id))
      next = page.next
    }
    expect(ids).toHaveLength(2103)
    expect(new Set(ids).size).toBe(2103)
    expect(ids.at(-1)).toBe('oldest')
  })

  test('need a cursor of a page', async () => {
    for (const after of ['x', '1', '1.2.3', '-1.0'])
      await expect(batches(after)).rejects.toThrow('after: expected next of a page')
  })
})

describe('messages', () => {
  test('of a batch are found page by page, in their order', async () => {
    const found: string[] = []
    let after: string | undefined
    do {
      const page = await search({ rrid: 'long', ...(after === undefined ? {} : { after }) })
      expect(page.messages.length).toBeLessThanOrEqual(100)
      found.push(...page.messages.map((message) => message.number))
      after = page.next
    } while (after !== undefined)
    expect(found).toEqual(Array.from({ length: LONG }, (_, at) => number(at)))
    expect(await search({ rrid: 'none' })).toEqual({ messages: [] })
  })

  test('tell their state, and what a code of a carrier means', async () => {
    const { messages } = await search({ rrid: 'mixed', number: number(3) })
    expect(messages).toEqual([
      {
        ...{ rrid: 'mixed', number: number(3), status: 3, code: 'UNDELIV', meaning: 'cannot be delivered' },
        ...{ submittedAt: expect.any(Number), receivedAt: expect.any(Number), producedAt: expect.any(Number) },
      },
    ])
    expect(await search({ rrid: 'mixed', number: number(9) })).toEqual({ messages: [] })
  })

  test('to a number are found in all batches, 2000 at a time', async () => {
    const first = await search({ number: number(7) })
    expect(first.messages.map(({ rrid }) => rrid)).toEqual(['long'])
    const second = await search({ number: number(7), after: first.next ?? '' })
    expect(second).toEqual({
      messages: [expect.objectContaining({ rrid: 'batch-7' }), expect.objectContaining({ rrid: 'oldest' })],
    })
  })

  test('are searched by what has an index alone', async () => {
    await expect(search({})).rejects.toThrow('expected number or rrid: nothing else has an index')
  })
})

describe('the checker of signatures', () => {
  const check = (url: string, more: { method?: string; body?: string; signature?: string } = {}) =>
    server.admin('sms-signature', { id: 'app', method: 'GET', url, ...more })
  const now = () => String(Date.now())
  const sha256 = (text: string) => Bun.CryptoHasher.hash('sha256', text, 'hex')

  test('finds nothing wrong with a call that the server accepts', async () => {
    const timestamp = now()
    const signature = signatureOf(
      [
        ['timestamp', timestamp],
        ['b', 'ü &'],
        ['A', '1'],
      ],
      KEY,
    )
    const url = `${server.process.url}/api/v2/app/status?timestamp=${timestamp}&b=%C3%BC+%26&A=1&signature=${signature}`
    expect(await check(url)).toEqual({
      ...{ text: `A=1&b=ü &&timestamp=${timestamp}&KEY`, expected: signature, matches: true, problems: [] },
    })
    expect((await server.call('GET', url.slice(server.process.url.length))).status).toBe(200)
  })

  test('knows the calls that sign one parameter alone, bodies, and tokens of gateways', async () => {
    const alone = await check(`/api/v1/app/status?rrid=mixed&more=1&signature=${sha256(`rrid=mixed&${KEY}`)}`)
    expect(alone).toMatchObject({ matches: true, problems: [] })
    const [timestamp, body] = [now(), '[{"rrid": "mixed"}]']
    const signature = signatureOf(
      [
        ['timestamp', timestamp],
        ['body', body],
      ],
      KEY,
    )
    const report = await check(`/api/v1/app/report?timestamp=${timestamp}`, { method: 'POST', body, signature })
    expect(report).toMatchObject({ matches: true, problems: [], text: `body=${body}&timestamp=${timestamp}&KEY` })
    const token = signatureOf([['source', 'gw']], KEY)
    expect(await check(`/api/v1/app/dlr?source=gw&token=${token}&stat=DELIVRD`)).toMatchObject({
      matches: true,
      problems: [],
    })
  })

  test.each([
    ['the key left out', (text: string) => text, 'signature: the key is not part of what was signed'],
    ['no & before the key', (text: string) => `${text}${KEY}`, 'signature: an & is missing before the key'],
    ['a name for the key', (text: string) => `${text}&key=${KEY}`, 'signature: the key is signed without a name'],
    ['the key first', (text: string) => `${KEY}&${text}`, 'signature: the key comes last'],
    ['another key', (text: string) => `${text}&other`, 'signature: another text or another key was signed'],
    [
      'another order',
      (text: string) => `${text.split('&').reverse().join('&')}&${KEY}`,
      'signature: the parameters are not sorted by name',
    ],
  ])('names a mistake: %s', async (_, signed, problem) => {
    const timestamp = now()
    const signature = sha256(signed(`a=1&timestamp=${timestamp}`))
    const verdict = await check(`/api/v2/app/status?timestamp=${timestamp}&a=1`, { signature })
    expect(verdict).toMatchObject({ matches: false, problems: [problem] })
    expect(JSON.stringify(verdict)).not.toContain(KEY)
  })

  test.each([
    ['/api/v2/app/status', ['timestamp: missing', 'signature: missing']],
    [
      '/api/v2/app/status?timestamp=1700000000&signature=x',
      ['timestamp: expected milliseconds since 1970, these are seconds', 'signature: expected 64 hex digits'],
    ],
    [
      '/api/v2/other/status?timestamp=soon',
      [
        'path: it names the application "other", not "app"',
        'timestamp: expected milliseconds since 1970 in decimal digits',
        'signature: missing',
      ],
    ],
    [
      '/somewhere?rrid=1',
      ['path: expected /api/v1/APPLICATION/… or /api/v2/APPLICATION/…', 'timestamp: missing', 'signature: missing'],
    ],
  ])('lists all that is wrong with %s', async (url, problems) => {
    expect((await check(url)).problems).toEqual(problems)
  })

  test('says how far off a time is', async () => {
    const { problems } = await check(`/api/v2/app/status?timestamp=${Date.now() - 3_600_000}`, {
      signature: '0'.repeat(64),
    })
    expect(problems[0]).toMatch(/^timestamp: 3[56]\d\d s in the past; at most 60 s are accepted$/)
  })

  test('refuses what no call can have', async () => {
    await expect(check('/api/v2/app/status?a=1&a=2')).rejects.toThrow('a: given twice, with two values')
    await expect(check('/api/v2/app/status?a=%FF')).rejects.toThrow('expected UTF-8, escaped as in forms')
  })
})
