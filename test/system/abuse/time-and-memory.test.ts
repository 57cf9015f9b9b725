import { describe, expect, test } from 'bun:test'
import { MemoryBudget } from '../../../src/http/limits/memory-budget.ts'
import type { HttpsServer } from '../../support/https-server.ts'
import { longTest } from '../../support/lane.ts'
import { BUSY, beginning, HALF_PUT, serving, told } from './limited-server.ts'

/** Long answers that are together more than the buffers of the system take. */
const TIMES = 3

describe('what takes too long', () => {
  test('a body that does not come is answered 408', async () => {
    await using server = await serving({ transferSeconds: 1 })
    const { socket, answer } = await beginning(server, HALF_PUT)
    expect(await answer).toStartWith('HTTP/1.1 408')
    socket.destroy()
    expect((await server.call('GET', '/b.json')).text).toBe('null')
  })

  longTest('an answer that nobody takes is cut off, and is no whole answer', async () => {
    await using server = await serving({ transferSeconds: 1, maxStreams: 1 })
    const piece = 'x'.repeat(10_000_000)
    const names = ['p', 'q', 'r', 's']
    for (const name of names) {
      const body = JSON.stringify(piece)
      expect((await server.call('PUT', `/a/${name}.json?print=silent`, { body })).status).toBe(204)
    }
    const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, piece])))
    const { socket } = await beginning(server, '')
    let received = 0
    const ended = Promise.withResolvers<void>()
    socket.removeAllListeners('data')
    socket.on('data', (bytes: Buffer) => (received += bytes.length))
    socket.on('close', () => ended.resolve())
    socket.on('error', () => ended.resolve())
    socket.pause()
    socket.write('GET /a.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(TIMES))
    // Others are not concerned.
    expect((await server.call('GET', '/a.json')).text).toBe(text)
    // Whoever does not read does not learn that it was cut off.
    await connectionsGone(server)
    socket.resume()
    await ended.promise
    expect(received).toBeLessThan(text.length * TIMES)
  })
})

/** Waits until the server has no connection of which the other end is silent: its next look at them has passed. */
async function connectionsGone(server: HttpsServer): Promise<void> {
  const { answer } = await beginning(server, 'GET /a')
  expect(await answer).toBe('closed')
}

describe('memory', () => {
  test('a body for which there is none is refused, and a smaller one is not', async () => {
    await using server = await serving({ maxTransferBytes: 1_000_000 })
    const body = (length: number) => ({ body: JSON.stringify('x'.repeat(length)) })
    expect(told(await server.call('PUT', '/a.json', body(3_000_000)))).toEqual([503, '5', BUSY])
    expect((await server.call('PUT', '/a.json', body(100_000))).status).toBe(200)
    expect((await server.call('GET', '/a.json')).text).toBe(body(100_000).body)
  })

  test('a long answer for which there is none is refused', async () => {
    await using server = await serving({ maxTransferBytes: 1_000_000 })
    for (const name of ['a', 'b', 'c', 'd']) {
      const body = JSON.stringify('x'.repeat(500_000))
      expect((await server.call('PUT', `/long/${name}.json?print=silent`, { body })).status).toBe(204)
    }
    expect(told(await server.call('GET', '/long.json'))).toEqual([503, '5', BUSY])
    expect((await server.call('GET', '/long.json?shallow=true')).status).toBe(200)
    expect((await server.call('HEAD', '/long.json')).status).toBe(200)
  })

  test('whoever holds the most goes first, and what several hold counts once', () => {
    const cut: string[] = []
    const holdings = new MemoryBudget(100)
    const hold = (what: object, bytes: number, name: string) => holdings.reserve(what, bytes, () => cut.push(name))
    const shared = {}
    const small = hold({}, 20, 'small')
    hold(shared, 60, 'one')
    hold(shared, 60, 'other')
    expect([holdings.bytes, cut]).toEqual([80, []])
    const growing = hold({}, 10, 'growing')
    growing.resize(30)
    expect([holdings.bytes, cut]).toEqual([50, ['one', 'other']])
    for (const holding of [small, small, growing]) holding.release()
    growing.resize(90)
    expect(holdings.bytes).toBe(0)
    hold({}, 101, 'huge')
    expect([holdings.bytes, cut]).toEqual([0, ['one', 'other', 'huge']])
  })

  test('what is in use counts, and others go in its place', () => {
    const cut: string[] = []
    const holdings = new MemoryBudget(100)
    const hold = (bytes: number, name: string) => holdings.reserve({}, bytes, () => cut.push(name))
    const used = hold(90, 'used')
    used.secure()
    hold(5, 'small')
    hold(7, 'large')
    expect([holdings.bytes, cut]).toEqual([95, ['large']])
    used.resize(200)
    expect([holdings.bytes, cut]).toEqual([200, ['large', 'small']])
    used.release()
    expect(holdings.bytes).toBe(0)
  })
})
