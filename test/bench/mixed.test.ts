import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ascending, percentile } from '../../bench/harness/percentile.ts'
import { AnswerReader } from '../../bench/load/answer-reader.ts'
import { Crowd } from '../../bench/mixed/crowd.ts'
import { kneeOf, TOLERATED } from '../../bench/mixed/knee.ts'
import { Mix, type Outgoing, WATCHED } from '../../bench/mixed/mix.ts'
import { CYCLE, kindOf, requestAt } from '../../bench/mixed/schedule.ts'
import { buildMixed } from '../../bench/stock/mixed.ts'
import { CHOSEN } from '../../bench/stock/places.ts'
import { type HttpsServer, startInProcess } from '../support/https-server.ts'
import { type TempDir, tempDir } from '../support/temp-dir.ts'

describe('percentile', () => {
  test.each([
    { values: [7], percent: 50, expected: 7 },
    { values: [7], percent: 99, expected: 7 },
    { values: [1, 2], percent: 50, expected: 1 },
    { values: [1, 2, 3], percent: 50, expected: 2 },
    { values: [1, 2, 3, 4], percent: 75, expected: 3 },
    { values: [1, 2, 3, 4], percent: 76, expected: 4 },
    { values: Array.from({ length: 100 }, (_, index) => index + 1), percent: 99, expected: 99 },
    { values: Array.from({ length: 101 }, (_, index) => index + 1), percent: 99, expected: 100 },
  ])('p$percent of $values.length values', ({ values, percent, expected }) => {
    expect(percentile(values, percent)).toBe(expected)
  })

  test('there is none of no values', () => {
    expect(percentile([], 99)).toBeNaN()
  })

  test('is the smallest value that so many percent do not exceed', () => {
    const values = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 100 }), (unsorted, percent) => {
        const sorted = ascending(unsorted)
        const found = percentile(sorted, percent)
        const within = (limit: number) => unsorted.filter((value) => value <= limit).length * 100
        expect(unsorted).toContain(found)
        expect(within(found)).toBeGreaterThanOrEqual(percent * unsorted.length)
        for (const smaller of unsorted.filter((value) => value < found)) {
          expect(within(smaller)).toBeLessThan(percent * unsorted.length)
        }
      }),
    )
  })
})

describe('knee', () => {
  const steps = (...times: number[]) => times.map((getP99Ms, index) => ({ clients: 2 ** index, getP99Ms }))

  test.each([
    { name: 'the last step that is fast enough', times: [1, 2, 9, 11, 30], expected: 4 },
    { name: 'ten times is not too long', times: [1, 10, 10.1], expected: 2 },
    { name: 'the last step when all are fast', times: [1, 2, 3], expected: 4 },
    { name: 'the first step when none is fast', times: [11, 12], expected: 1 },
    { name: 'what is fast again later does not count', times: [1, 11, 2], expected: 1 },
    { name: 'one step', times: [1], expected: 1 },
  ])('$name', ({ times, expected }) => {
    expect(kneeOf(steps(...times), 1).clients).toBe(expected)
  })

  test('no steps have none', () => {
    expect(() => kneeOf([], 1)).toThrow('no steps')
  })

  test('every step up to it is fast enough, and the next one is not', () => {
    const times = fc.array(fc.double({ min: 0.01, max: 100, noNaN: true }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(times, fc.double({ min: 0.01, max: 10, noNaN: true }), (each, idle) => {
        const all = steps(...each)
        const isFast = ({ getP99Ms }: { getP99Ms: number }) => getP99Ms <= idle * TOLERATED
        const position = all.indexOf(kneeOf(all, idle))
        if (position > 0 || isFast(all[0]!)) expect(all.slice(0, position + 1).every(isFast)).toBe(true)
        const next = all[position + 1]
        if (next !== undefined && isFast(all[0]!)) expect(isFast(next)).toBe(false)
      }),
    )
  })
})

describe('mix', () => {
  test('is 90 % GET, 8 % PUT and 2 % queries wherever it begins', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1_000_000 }), (first) => {
        const requests = Array.from({ length: CYCLE }, (_, index) => requestAt(first + index))
        const count = (kind: string) => requests.filter((request) => kindOf(request) === kind).length
        expect([count('get'), count('put'), count('query')]).toEqual([90, 8, 2])
        expect(requests.filter((request) => request === 'PUT watched leaf')).toHaveLength(4)
      }),
    )
  })

  test('has no long stretch without a write', () => {
    const gaps = Array.from({ length: CYCLE }, (_, first) => {
      let gap = 0
      while (kindOf(requestAt(first + gap)) !== 'put') gap++
      return gap
    })
    expect(Math.max(...gaps)).toBeLessThan(30)
  })
})

describe('answers on a connection', () => {
  const body = '{"a":1}\r\n\r\n'
  const answers = [
    { status: 200, bytes: `HTTP/1.1 200 OK\r\nContent-Type: x\r\nContent-Length: ${body.length}\r\n\r\n${body}` },
    { status: 404, bytes: 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n' },
    { status: 503, bytes: 'HTTP/1.1 503 Busy\r\nCONTENT-LENGTH: 1\r\nETag: y\r\n\r\n.' },
  ]

  test('end with their last byte, in whatever pieces they come', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min: 1, max: 40 })), (lengths) => {
        const reader = new AnswerReader()
        for (const { status, bytes } of answers) {
          const rest = Buffer.from(bytes)
          for (let from = 0; from < rest.length; ) {
            const to = from + lengths.next().value
            const expected = to >= rest.length ? status : undefined
            expect(reader.read(rest.subarray(from, to))).toBe(expected)
            from = to
          }
        }
      }),
    )
  })

  test.each([
    { name: 'no length', bytes: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', error: 'no length' },
    { name: 'more than its length', bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab', error: 'longer' },
  ])('refused: $name', ({ bytes, error }) => {
    expect(() => new AnswerReader().read(Buffer.from(bytes))).toThrow(error)
  })
})

describe('mix on a server', () => {
  const size = 1000
  let dir: TempDir
  let server: HttpsServer

  beforeAll(async () => {
    dir = await tempDir()
    await buildMixed(dir.path, size)
    server = await startInProcess({ dataDir: dir.path })
  })
  afterAll(async () => {
    await server.stop()
    await dir[Symbol.asyncDispose]()
  })

  function call({ text }: Outgoing) {
    const [head = '', body = ''] = text.split('\r\n\r\n')
    const [method = '', target = ''] = head.split(' ')
    return server.call(method, target, method === 'PUT' ? { body } : {})
  }

  test('every GET finds something, every query 20 children, and every PUT writes what it says', async () => {
    const mix = new Mix(server.url, size)
    for (let index = 0; index < 2 * CYCLE; index++) {
      const outgoing = mix.next()
      const { status, text } = await call(outgoing)
      expect(status).toBe(200)
      if (outgoing.kind === 'query') expect(Object.keys(JSON.parse(text))).toHaveLength(CHOSEN)
      else if (outgoing.kind === 'put') expect(outgoing.text.endsWith(`\r\n\r\n${text}`)).toBe(true)
      else expect(text).not.toBe('null')
    }
  })

  test('the watched leaves are there, all different', async () => {
    const { watched } = new Mix(server.url, size)
    expect(new Set(watched).size).toBe(WATCHED)
    for (const target of watched) expect((await server.call('GET', target)).text).not.toBe('null')
  })

  test('a crowd sends every kind, however short its time', async () => {
    const mix = new Mix(server.url, size)
    using crowd = await Crowd.open(`https://127.0.0.1:${server.port}`, mix, 1)
    const { times, watchedWrites } = await crowd.send(0, () => mix.next())
    const counts = [times.get, times.put, times.query].map(({ length }) => length)
    expect(counts).toEqual([90, 8, 2])
    expect(watchedWrites).toBe(4)
  })
})
