import { expect, test } from 'bun:test'
import { EventSource } from 'eventsource'
import { startInProcess } from '../../support/https-server.ts'
import { StreamCache } from '../../support/stream-cache.ts'

const WRITES = 1000
/** Writes between two looks at the cache. */
const BETWEEN = 100
const KEYS = ['a', 'b', 'c', '0', '1', 'deep/x', 'deep/y/z']

/** A client library as people use it. @returns what tells the cache, and ends it */
function follow(url: string, ca: string) {
  const cache = new StreamCache()
  let heard = () => {}
  const source = new EventSource(url, { fetch: (input, init) => fetch(input, { ...init, tls: { ca } }) })
  for (const kind of ['put', 'patch'] as const) {
    source.addEventListener(kind, ({ data }) => {
      const { path, data: value } = JSON.parse(data) as { readonly path: string; readonly data: unknown }
      cache.apply({ kind, path, data: value })
      heard()
    })
  }
  return {
    close: () => source.close(),
    /** The cache, once it is what a read answers. */
    async converged(expected: unknown): Promise<unknown> {
      while (!Bun.deepEquals(cache.plain, expected)) {
        await new Promise<void>((resolve) => {
          heard = resolve
        })
      }
      return cache.plain
    },
  }
}

test('the npm client `eventsource` stays converged through a thousand random writes', async () => {
  await using server = await startInProcess()
  const get = async (target: string): Promise<unknown> => JSON.parse((await server.call('GET', target)).text)
  const targets = ['/tree.json', '/tree.json?orderBy=%22$value%22&limitToLast=3', '/tree/deep.json']
  const clients = targets.map((target) => follow(server.url + target, server.ca))
  let random = 1
  const next = (count: number): number => {
    random = (random * 48_271) % 2_147_483_647
    return random % count
  }
  for (let write = 1; write <= WRITES; write++) {
    const key = KEYS[next(KEYS.length)] ?? ''
    const kind = next(10)
    if (kind < 5) await server.call('PUT', `/tree/${key}.json`, { body: String(next(100)) })
    else if (kind < 7) await server.call('DELETE', `/tree/${key}.json`)
    else if (kind < 9) {
      const body = JSON.stringify({ [key]: next(100), [`new${next(5)}`]: next(2) === 0 ? null : 'text' })
      await server.call('PATCH', '/tree.json', { body })
    } else await server.call('PUT', '/tree.json', { body: JSON.stringify({ a: next(9), deep: { x: next(9) } }) })
    if (write % BETWEEN !== 0) continue
    for (const [index, client] of clients.entries()) {
      const expected = await get(targets[index] ?? '')
      expect(await client.converged(expected)).toEqual(expected)
    }
  }
  for (const client of clients) client.close()
})
