import '../../support/long-lane.ts'
import { expect, test } from 'bun:test'
import { openSource } from '../../support/event-source.ts'
import { startStreamServer } from './stream-server.ts'

const EVENTS = 256
/** Together 64 MB. */
const EVENT_LENGTH = 256 * 1024
/** Beyond what waits, what the sockets hold and what the requests themselves take. */
const MOST_MEMORY = 200 * 1024 * 1024

test('who does not read costs no more than its mailbox, and is told everything anew', async () => {
  await using server = await startStreamServer({ streams: { keepAliveMs: 3_600_000 } })
  await server.call('PUT', '/a.json', { body: '{"n":-1,"kept":true}' })
  await using stalled = await openSource(server, '/a.json')
  await using other = await openSource(server, '/a.json')
  expect(await stalled.next()).toEqual({ kind: 'put', path: '/', data: { kept: true, n: -1 } })
  await other.next()
  stalled.pause()
  const { rss } = await server.look()
  await server.forgetPeak()
  for (let n = 0; n < EVENTS; n++) {
    const json = { n, text: String(n % 10).repeat(EVENT_LENGTH) }
    await server.call('PATCH', '/a.json', { body: JSON.stringify(json) })
    expect(await other.next()).toEqual({ kind: 'patch', path: '/', data: json })
  }
  expect(stalled.received).toBeLessThan(EVENT_LENGTH)
  const { peak, subscribers } = await server.look()
  expect(subscribers).toBe(2)
  expect(peak - rss).toBeLessThan(MOST_MEMORY)
  stalled.resume()
  let next = await stalled.next()
  // What had been written before it stood still is there in order and without a gap.
  let buffered = 0
  for (; next.kind === 'patch'; next = await stalled.next()) {
    expect(next.data).toMatchObject({ n: buffered })
    buffered++
  }
  expect(buffered).toBeLessThan(EVENTS)
  expect(next).toMatchObject({ kind: 'put', path: '/' })
  expect(stalled.cache.plainText).toBe((await server.call('GET', '/a.json')).text)
  await server.call('PUT', '/a/n.json', { body: '"after"' })
  expect(await stalled.next()).toEqual({ kind: 'put', path: '/n', data: 'after' })
  expect(await other.next()).toEqual({ kind: 'put', path: '/n', data: 'after' })
})
