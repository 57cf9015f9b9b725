import { expect, test } from 'bun:test'
import { type EventSource, openSource } from '../../support/event-source.ts'
import { type HttpsServer, startInProcess } from '../../support/https-server.ts'

const KIBI = 1024
const MEBI = 1024 * KIBI
/** Together less than may wait for one subscriber, and more than there may be held. */
const EVENTS = 28
const EVENT_LENGTH = 256 * KIBI

/** Writes so much that a client that does not read has some of it waiting at the server. */
async function write(server: HttpsServer, path: string): Promise<void> {
  for (let n = 0; n < EVENTS; n++) {
    const body = JSON.stringify({ n, text: String(n % 10).repeat(EVENT_LENGTH) })
    expect((await server.call('PATCH', path, { body })).status).toBe(200)
  }
}

/** Reads until a stream holds what the server has. @returns how often it was told everything */
async function converge(source: EventSource, server: HttpsServer, path: string): Promise<number> {
  const wanted = (await server.call('GET', path)).text
  let beginnings = 0
  while (source.cache.plainText !== wanted) {
    const { kind, path: at } = await source.next()
    if (kind === 'put' && at === '/') beginnings++
  }
  return beginnings
}

test('what waits for slow readers is given up when there is no room for it: they are told everything anew', async () => {
  await using server = await startInProcess({ clients: { maxTransferBytes: 2 * MEBI } })
  await server.call('PUT', '/a.json', { body: '{"n":-1,"kept":true}' })
  await using slow = await openSource(server, '/a.json')
  await using another = await openSource(server, '/a.json')
  await using reader = await openSource(server, '/a.json')
  for (const source of [slow, another, reader]) await source.next()
  for (const source of [slow, another]) source.pause()
  await write(server, '/a.json')
  await converge(reader, server, '/a.json')
  for (const source of [slow, another]) {
    source.resume()
    expect(await converge(source, server, '/a.json')).toBeGreaterThan(0)
  }
  await server.call('PUT', '/a/n.json', { body: '"after"' })
  for (const source of [slow, another, reader]) expect(await source.next()).toMatchObject({ path: '/n', data: 'after' })
})

test('where there is room for what waits, slow readers miss nothing and are told nothing twice', async () => {
  await using server = await startInProcess()
  await server.call('PUT', '/a.json', { body: '{"n":-1}' })
  await using slow = await openSource(server, '/a.json')
  await slow.next()
  slow.pause()
  await write(server, '/a.json')
  slow.resume()
  for (let n = 0; n < EVENTS; n++) expect((await slow.next()).data).toMatchObject({ n })
})
