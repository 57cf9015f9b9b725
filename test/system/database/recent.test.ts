import { describe, expect, test } from 'bun:test'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { withTwoServers } from './two-servers.ts'

const AFTER = 'X-Dhole-After'
const POSITION = 'X-Dhole-Position'

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'servers that answer as of about the last second', () => {
  const servers = withTwoServers({ READS: 'recent' })

  test('a request sees what is as old as the position that it names', async () => {
    const { one, two } = servers
    for (let value = 0; value < 30; value++) {
      const written = await one.call('PUT', '/n.json', { body: String(value) })
      const position = written.headers.get(POSITION) ?? ''
      expect(position).toMatch(/^[\w-]{22}$/)
      const read = await two.call('GET', '/n.json', { headers: { [AFTER]: position } })
      expect(read.text).toBe(String(value))
      expect(read.headers.get(POSITION)).toBe(position)
    }
  })

  test('every kind of answer names the position, whether it was in memory or is read', async () => {
    const { one } = servers
    for (let value = 0; value < 5; value++) {
      const written = await one.call('PUT', '/kinds/n.json', { body: String(value) })
      const position = written.headers.get(POSITION)
      expect(position).toMatch(/^[\w-]{22}$/)
      const tagged = { headers: { 'X-Firebase-ETag': 'true' } }
      const asked: [string, string, Record<string, unknown>?][] = [
        ['GET', '/kinds/n.json'],
        ['GET', '/kinds/n.json'],
        ['HEAD', '/kinds/n.json'],
        ['GET', '/kinds/none.json'],
        ['GET', '/kinds/n.json?print=pretty'],
        ['GET', '/kinds.json?shallow=true'],
        ['GET', '/kinds.json?orderBy="$key"&limitToFirst=1'],
        ['GET', '/kinds/n.json', tagged],
      ]
      for (const [method, path, options] of asked) {
        const read = await one.call(method, path, options)
        expect([method, path, read.headers.get(POSITION)]).toEqual([method, path, position])
      }
    }
  })

  test('a server sees its own writes, and a position that nobody has given means the last one', async () => {
    const { one, two } = servers
    await one.call('PUT', '/own.json', { body: '1' })
    expect((await one.call('GET', '/own.json')).text).toBe('1')
    expect((await two.call('GET', '/own.json', { headers: { [AFTER]: 'no position' } })).text).toBe('1')
  })
})

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'servers that answer with every write', () => {
  const servers = withTwoServers()

  test('need no position, and name none', async () => {
    const { one, two } = servers
    for (let value = 0; value < 30; value++) {
      await one.call('PUT', '/n.json', { body: String(value) })
      const read = await two.call('GET', '/n.json')
      expect([read.text, read.headers.get(POSITION)]).toEqual([String(value), null])
    }
  })
})
