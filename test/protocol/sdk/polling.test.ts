import { describe, expect, test } from 'bun:test'
import { shortOf } from '../../support/sdk-client.ts'
import { withServer } from '../../support/with-server.ts'

const server = withServer()

/** Runs a script of an answer as a page would. @returns what it calls, with the arguments */
function callsOf(script: string): readonly (readonly [name: string, ...given: unknown[]])[] {
  const calls: (readonly [string, ...unknown[]])[] = []
  const window = new Proxy(
    {},
    {
      get:
        (_, name: string) =>
        (...given: unknown[]) =>
          void calls.push([name, ...given]),
    },
  )
  new Function('parent', script)({ window })
  return calls
}

async function ask(parameters: Readonly<Record<string, string | number>>) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) query.set(name, String(value))
  return await server.call('GET', `/.lp?${query}&ns=app`)
}

/** A client as a page is: it sends segments, and keeps one request open. */
class Page {
  readonly received: string[] = []
  readonly numbers: unknown[] = []
  #place: Readonly<Record<string, string>> = {}
  #segment = 0
  #serial = 0
  #request = 0

  async start(): Promise<void> {
    const { status, headers, text } = await ask({ start: 't', ser: ++this.#serial, cb: 7, v: 5 })
    expect([status, headers.get('content-type')]).toEqual([200, 'application/javascript; charset=utf-8'])
    const [start, hello] = callsOf(text)
    expect(start?.slice(0, 2)).toEqual(['pLPCommand7', 'start'])
    expect(hello?.[0]).toBe('pRTLPCB7')
    this.numbers.push(hello?.[1])
    this.#place = { id: String(start?.[2]), pw: String(start?.[3]) }
  }

  /** Asks once, with a request. @returns the answer's calls */
  async poll(more: Readonly<Record<string, string | number>> = {}) {
    const { status, text } = await ask({ ...this.#place, ser: ++this.#serial, ...more })
    expect(status).toBe(200)
    const calls = callsOf(text)
    const [, number, messages] = calls[0] ?? []
    this.numbers.push(number)
    this.received.push(...(messages as Parameters<typeof shortOf>[0][]).map(shortOf))
    return calls
  }

  /** The parameters that send a request, in segments of a length. */
  segments(action: string, body: unknown, length = 1840): readonly Readonly<Record<string, string | number>>[] {
    const message = JSON.stringify({ t: 'd', d: { r: ++this.#request, a: action, b: body } })
    const base64 = Buffer.from(message).toString('base64url')
    const count = Math.ceil(base64.length / length)
    return Array.from({ length: count }, (_, index) => {
      const data = base64.slice(index * length, (index + 1) * length)
      return { seg0: this.#segment++, ts0: count, d0: index === count - 1 ? `${data}.` : data }
    })
  }

  leave() {
    return ask({ ...this.#place, disconn: 't' })
  }
}

describe('long polling', () => {
  test('carries requests, answers and pushes, numbered without gaps', async () => {
    await server.call('PUT', '/.json', { body: '{"a":1}' })
    const page = new Page()
    await page.start()
    const [first = {}] = page.segments('q', { p: '/a', h: '' })
    const [second = {}] = page.segments('s', { c: {} })
    // Several segments share a request.
    await page.poll({ ...first, seg1: second['seg0'] ?? 0, ts1: 1, d1: second['d0'] ?? '' })
    while (page.received.length < 3) await page.poll()
    await server.call('PUT', '/a.json', { body: '2' })
    await page.poll()
    expect(page.received).toEqual(['d /a 1', 'answer 1 ok', 'answer 2 ok', 'd /a 2'])
    expect(page.numbers).toEqual(page.numbers.map((_, index) => index))
    await page.leave()
  })

  test('joins segments that overtake each other, with characters of every kind', async () => {
    const page = new Page()
    await page.start()
    const value = 'päivä 狗 🐕 \u2028'.repeat(20)
    const segments = page.segments('p', { p: '/long', d: value }, 50)
    const asked = segments.toReversed().map((segment) => page.poll(segment))
    // The answer to the write comes with one of them, or with the next one.
    await Promise.all([...asked, page.poll()])
    while (page.received.length === 0) await page.poll()
    expect(page.received).toEqual(['answer 1 ok'])
    expect(JSON.parse((await server.call('GET', '/long.json')).text)).toBe(value)
    await page.leave()
  })

  test('answers the older of two requests at once', async () => {
    const page = new Page()
    await page.start()
    const older = page.poll()
    const newer = page.poll()
    await older
    expect(page.received).toEqual([])
    await page.leave()
    await newer
  })

  test('ends a session when its page leaves, and writes what it has left', async () => {
    await server.call('PUT', '/.json', { body: '{}' })
    const page = new Page()
    await page.start()
    await page.poll(page.segments('o', { p: '/gone', d: true })[0])
    while (page.received.length === 0) await page.poll()
    await page.leave()
    expect((await server.call('GET', '/gone.json')).text).toBe('true')
    expect((await ask({ id: 'x', pw: 'y', ser: 9 })).status).not.toBe(200)
  })

  test.each([
    ['a callback that is no number', { start: 't', cb: 'alert(1)', ser: 1, v: 5 }, 400, 'cb must be a number'],
    ['no callback', { start: 't', ser: 1, v: 5 }, 400, 'cb must be a number'],
    ['a password that is wrong', { id: 'x', pw: 'y', ser: 1 }, 401, 'No session of this id and password is open'],
    ['a client that is no SDK', {}, 400, 'This path is for long polling of SDKs: use the REST API'],
  ])('refuses %s', async (_, parameters, expected, reason) => {
    const { status, text } = await ask(parameters)
    expect([status, JSON.parse(text).error]).toEqual([expected, expect.stringContaining(reason)])
    expect(text).not.toContain('alert')
  })

  test('serves a page that tells when it is left, and runs nothing else', async () => {
    const { headers, text } = await ask({ dframe: 't', id: '</script><script>alert(1)', pw: '"x' })
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(text.match(/<script>/g)?.length).toBe(1)
    expect(text).not.toContain('alert(1)"')
  })

  test('closes a session that sends what is not understood', async () => {
    const page = new Page()
    await page.start()
    const calls = await page.poll({ seg0: 0, ts0: 1, d0: Buffer.from('nonsense').toString('base64url') })
    const last = calls.length > 1 ? calls : await page.poll().catch(() => [])
    expect(last.some(([name, command]) => name === 'pLPCommand7' && command === 'close')).toBeTrue()
  })
})
