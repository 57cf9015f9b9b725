import { describe, expect, test } from 'bun:test'
import { connect as connectHttp2 } from 'node:http2'
import fc from 'fast-check'
import { PendingBodies, type PendingBody } from '../../../src/http/limits/pending-bodies.ts'
import type { HttpsServer } from '../../support/https-server.ts'
import { BUSY, beginning, HALF_PUT, serving } from './limited-server.ts'

/** Over HTTP/2, writes whose bodies do not come. */
function unfinished({ url, ca }: HttpsServer) {
  const session = connectHttp2(url, { ca })
  let waiting = 0
  const begin = (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>()
    const stream = session.request({ ':method': 'PUT', ':path': path, ...headers }, { endStream: false })
    waiting++
    let head: unknown[] = []
    let text = ''
    stream.on('response', (headers) => {
      waiting--
      head = [headers[':status'], headers['retry-after']]
    })
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
    })
    stream.on('end', () => resolve([...head, JSON.parse(text)]))
    stream.on('error', reject)
    // Nobody waits for most of them.
    promise.catch(() => {})
    return promise
  }
  return {
    begin,
    waiting: () => waiting,
    [Symbol.asyncDispose]: async () => session.destroy(),
  }
}

describe('bodies that have not come', () => {
  test('for one more the oldest is given up', async () => {
    await using server = await serving({ maxBodies: 2 })
    const begun: Awaited<ReturnType<typeof beginning>>[] = []
    for (let count = 0; count < 3; count++) {
      begun.push(await beginning(server, HALF_PUT))
      // Answered behind what came before it.
      expect((await server.call('GET', '/a.json')).status).toBe(200)
    }
    const [oldest, ...others] = begun
    expect(await oldest!.answer).toStartWith('HTTP/1.1 503')
    expect(await oldest!.answer).toContain(JSON.stringify(BUSY))
    // Those that came behind it are taken, as is one that comes at once.
    expect((await server.call('PUT', '/c.json', { body: '1' })).status).toBe(200)
    const last = others.at(-1)!
    last.socket.write(`${'x'.repeat(97)}"`)
    expect(await last.answer).toStartWith('HTTP/1.1 200')
    for (const { socket } of begun) socket.destroy()
  })

  test('one of which much has come is not the oldest any more', async () => {
    await using server = await serving({ maxBodies: 2 })
    const settled = async () => expect((await server.call('GET', '/a.json')).status).toBe(200)
    const length = 200_000
    const text = JSON.stringify('x'.repeat(length - 2))
    const long = await beginning(server, HALF_PUT.replace('100\r\n\r\n"x', `${length}\r\n\r\n${text.slice(0, 1000)}`))
    await settled()
    const idle = await beginning(server, HALF_PUT)
    await settled()
    long.socket.write(text.slice(1000, 50_000))
    await settled()
    const last = await beginning(server, HALF_PUT)
    expect(await idle.answer).toStartWith('HTTP/1.1 503')
    long.socket.write(text.slice(50_000))
    expect(await long.answer).toStartWith('HTTP/1.1 200')
    for (const { socket } of [long, idle, last]) socket.destroy()
  })

  test('a connection with many of them gets no more, another one does', async () => {
    await using server = await serving({ maxBodies: 16 })
    await using greedy = unfinished(server)
    // Eight are there for anybody, and eight more are known to be its own.
    const answers = Array.from({ length: 40 }, () => greedy.begin('/b.json'))
    const refusals = await Promise.all(answers.slice(16))
    for (const refusal of refusals) expect(refusal).toEqual([503, '5', BUSY])
    expect((await server.call('PUT', '/c.json', { body: '1' })).status).toBe(200)
    expect(greedy.waiting()).toBeGreaterThanOrEqual(15)
  })

  test('short ones of one connection are refused above the limit', async () => {
    await using server = await serving({ maxBodies: 4 })
    await using greedy = unfinished(server)
    const refusals: unknown[] = []
    const refused = Promise.withResolvers<void>()
    for (let count = 0; count < 40; count++) {
      const answer = greedy.begin('/b.json', { 'content-length': '100' })
      // The last ones end with the connection.
      answer.then((refusal) => refusals.push(refusal) === 36 && refused.resolve()).catch(() => {})
    }
    await refused.promise
    for (const refusal of refusals) expect(refusal).toEqual([503, '5', BUSY])
    expect(greedy.waiting()).toBe(4)
    expect((await server.call('PUT', '/c.json', { body: '1' })).status).toBe(200)
  })

  test('all that are too many are given up, oldest first', async () => {
    await using server = await serving({ maxBodies: 4 })
    await using greedy = unfinished(server)
    const refusals: unknown[] = []
    const eight = Promise.withResolvers<void>()
    const refused = (refusal: unknown) => {
      if (refusals.push(refusal) === 8) eight.resolve()
    }
    // The others end with the connection.
    const answers = Array.from({ length: 12 }, () => greedy.begin('/b.json').then(refused, () => {}))
    // Of the last, those are refused that come before the first are given up.
    await Promise.all([...answers.slice(0, 6), eight.promise])
    for (const refusal of refusals) expect(refusal).toEqual([503, '5', BUSY])
    expect(greedy.waiting()).toBe(4)
  })

  test('bodies are given back once, whoever has them, and those that are too many are given up', () => {
    const step = fc.record({
      connection: fc.integer({ min: 0, max: 3 }),
      next: fc.constantFrom('nothing', 'give up', 'give up', 'renew', 'end'),
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.array(step, { maxLength: 200 }), (most, steps) => {
        const bodies = new PendingBodies(most)
        // Oldest first.
        const held: { connection: number; body?: PendingBody | undefined }[] = []
        for (const { connection, next } of steps) {
          const entered: (typeof held)[number] = { connection }
          entered.body = bodies.enter(
            () => String(connection),
            () => expect(held.shift()).toBe(entered),
          )
          const own = held.filter((one) => one.connection === connection).length
          if (entered.body === undefined) expect([held.length >= most, own > 7]).toEqual([true, true])
          else held.push(entered)
          // Beside other work, so that some may enter before.
          if (next === 'give up') {
            while (bodies.areTooMany) bodies.abortOldest()
            expect(bodies.size).toBeLessThanOrEqual(most)
          }
          const [oldest] = held
          if (next === 'renew') held.push(...held.splice(0, 1))
          if (next === 'renew') oldest?.body?.renew()
          if (next === 'end') for (const { body } of held.splice(0, 1)) for (const one of [body, body]) one?.leave()
          expect(bodies.size).toBe(held.length)
          expect(bodies.areTooMany).toBe(held.length > most)
        }
        for (const { body } of held) body?.leave()
        for (const { body } of held) body?.renew()
        expect([bodies.size, bodies.connections]).toEqual([0, 0])
      }),
    )
  })
})
