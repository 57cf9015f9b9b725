import { describe, expect, test } from 'bun:test'
import { openSource } from '../../support/event-source.ts'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { rotated, withTwoServers } from './two-servers.ts'

/** Requests to a server that works, for a process that does not wait to end meanwhile. */
const REQUESTS = 50

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'a server that does not run now', () => {
  const servers = withTwoServers({ FAILED_CREDENTIALS: '0' })

  /**
   * Makes a change while the second server is stopped. The change must wait for it.
   * @param isInForce whether the first server acts on the change
   */
  async function whileStopped<T>(change: () => Promise<T>, isInForce: () => Promise<boolean>): Promise<T> {
    const { one, two } = servers
    two.process.kill('SIGSTOP')
    let hasEnded = false
    try {
      const changed = change().finally(() => {
        hasEnded = true
      })
      while (!(await isInForce())) if (hasEnded) break
      for (let request = 0; request < REQUESTS; request++) await one.call('GET', '/.json?shallow=true')
      expect(hasEnded).toBe(false)
      two.process.kill('SIGCONT')
      return await changed
    } finally {
      two.process.kill('SIGCONT')
    }
  }

  test('is waited for by the replacement of a secret', async () => {
    const { one, two, direct, add } = servers
    const { secret } = await add('rotated')
    const target = `/a.json?ns=rotated&auth=${secret}`
    await using stream = await openSource(two, target)
    await stream.next()
    const refuses = async () => (await one.call('GET', target)).status === 401
    const fresh = rotated(await whileStopped(() => direct('apps', 'rotate', 'rotated', '--yes'), refuses))
    expect((await two.call('GET', target)).status).toBe(401)
    expect((await two.call('GET', `/a.json?ns=rotated&auth=${fresh}`)).status).toBe(200)
    expect((await stream.nextMessage())?.name).toBe('auth_revoked')
  })

  test('is waited for by new rules', async () => {
    const { one, two, add } = servers
    const { secret } = await add('ruled', '--open')
    await using stream = await openSource(two, '/a.json?ns=ruled')
    await stream.next()
    const body = '{"rules":{".read":false}}'
    const set = () => one.call('PUT', `/.settings/rules.json?ns=ruled&auth=${secret}`, { body })
    const refuses = async () => (await one.call('GET', '/a.json?ns=ruled')).status === 401
    expect((await whileStopped(set, refuses)).status).toBe(200)
    expect((await two.call('GET', '/a.json?ns=ruled')).status).toBe(401)
    expect((await stream.nextMessage())?.name).toBe('cancel')
  })

  test('is waited for by the removal of an application', async () => {
    const { one, two, direct, add } = servers
    await add('gone', '--open')
    await using stream = await openSource(two, '/a.json?ns=gone')
    await stream.next()
    const isGone = async () => (await one.call('GET', '/a.json?ns=gone')).status === 404
    const { status } = await whileStopped(() => direct('apps', 'remove', 'gone', '--yes', '--delete-data'), isGone)
    expect(status).toBe(0)
    expect((await two.call('GET', '/a.json?ns=gone')).status).toBe(404)
    await stream.ended
  })
})
