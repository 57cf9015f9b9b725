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
