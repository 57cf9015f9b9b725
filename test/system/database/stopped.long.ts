import { describe, expect, test } from 'bun:test'
import { openSource } from '../../support/event-source.ts'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { rotated, withTwoServers } from './two-servers.ts'

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'a server that was stopped', () => {
  const servers = withTwoServers({ FAILED_CREDENTIALS: '0' })

  test('is not waited for, and tells nothing that is outdated when it goes on', async () => {
    const { one, two, direct, add } = servers
    const { secret } = await add('shop')
    const target = `/a.json?ns=shop&auth=${secret}`
    expect((await two.call('PUT', target, { body: '1' })).status).toBe(200)
    await using stream = await openSource(two, target)
    expect(await stream.next()).toEqual({ kind: 'put', path: '/', data: 1 })
    two.process.kill('SIGSTOP')
    const fresh = rotated(await direct('apps', 'rotate', 'shop', '--yes'))
    expect((await one.call('GET', target)).status).toBe(401)
    await one.call('PUT', `/a.json?ns=shop&auth=${fresh}`, { body: '2' })
    // They wait for the stopped process, which answers them first of all.
    const waiting = Array.from({ length: 20 }, () => two.call('GET', target))
    two.process.kill('SIGCONT')
    for (const { status } of await Promise.all(waiting)) expect([401, 503]).toContain(status)
    const events: (string | undefined)[] = []
    for (let event = await stream.nextMessage(); event !== undefined; event = await stream.nextMessage()) {
      events.push(event.name)
    }
    expect(events).not.toContain('put')
    const answer = async () => {
      for (;;) {
        const { status, text } = await two.call('GET', `/a.json?ns=shop&auth=${fresh}`)
        if (status !== 503) return text
      }
    }
    expect(await answer()).toBe('2')
    expect((await two.call('GET', target)).status).toBe(401)
  })
})
