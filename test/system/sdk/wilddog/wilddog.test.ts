import { describe, expect, test } from 'bun:test'
import { SECRET } from '../../../support/https-server.ts'
import { inLanes, someInLanes } from '../../../support/lane.ts'
import { SdkClient } from '../../../support/sdk-client.ts'
import { customToken, nowInSeconds } from '../../../support/token.ts'
import { withServer } from '../../../support/with-server.ts'
import { runScenario, startForWilddog, startScenario, type Version } from './start-wilddog.ts'

const RULES = JSON.stringify({
  rules: {
    notes: { $uid: { '.read': 'auth.uid == $uid', '.write': 'auth.uid == $uid' } },
    online: { '.read': true, $uid: { '.write': 'auth.uid == $uid' } },
  },
})
const VERSIONS: readonly Version[] = ['0.7', '2.5']
/** Codes of errors: words in SDK 0.7, numbers in 2.5. */
const CODES = {
  '0.7': { denied: 'PERMISSION_DENIED', refused: 'INVALID_TOKEN' },
  '2.5': { denied: 26_101, refused: 22_004 },
} as const

const runtimes: readonly (readonly [Version, 'bun' | 'node'])[] = VERSIONS.flatMap((version) =>
  (Bun.which('node') === null ? (['bun'] as const) : (['bun', 'node'] as const)).map(
    (runtime) => [version, runtime] as const,
  ),
)

describe("Wilddog's SDKs as they are published", () => {
  const server = withServer(startForWilddog)
  const closed = withServer(() => startForWilddog({ applications: { app: { secret: SECRET, rules: RULES } } }))

  test.each(runtimes)('%s in %s: values of every kind come back as they were written', async (version, runtime) => {
    const rest = { text: 'päivä 狗 🐕', number: 2, yes: true, list: [1, 2, 3] }
    expect(await runScenario(server, [version, 'values'], runtime)).toEqual({
      ...{ rest, isTime: true, priority: 5, isOffset: true, isPushed: true },
    })
  })

  test.each(someInLanes(VERSIONS, 2))('%s: a text of 5 MB is written and read', async (version) => {
    expect(await runScenario(server, [version, 'large'])).toEqual({ isStored: true, isRead: true })
  })

  test.each(VERSIONS)('%s: a live query tells who enters, changes and leaves', async (version) => {
    await server.call('DELETE', '/.json')
    expect(await runScenario(server, [version, 'live'])).toEqual({
      seen: ['+b', '+c', '-b', '+d', '~c', '-d', '+b'],
      from: { b: { points: 2 }, c: { points: 3, text: 'changed' } },
    })
  })

  test.each(VERSIONS)('%s: writes made offline arrive in order', async (version) => {
    expect(await runScenario(server, [version, 'offline'])).toEqual({
      value: { n: 3, w1: true, w2: true, w3: true },
      connected: [false, true, false, true],
    })
  })

  test('clients of both that count together lose nothing', async () => {
    await server.call('DELETE', '/.json')
    const failed = await Promise.all(VERSIONS.map((version) => runScenario(server, [version, 'count', '20'])))
    expect(failed).toEqual([0, 0])
    expect((await server.call('GET', '/count.json')).text).toBe('40')
  })

  test.each(VERSIONS)('%s: a client that is killed is written as gone', async (version) => {
    await server.call('DELETE', '/.json')
    await using watcher = await SdkClient.connect(server)
    await watcher.request('q', { p: '/online/ann', h: '' })
    watcher.take()
    const { output, kill } = await startScenario(server, [version, 'presence'])
    await output.getReader().read()
    expect(await watcher.first(1)).toEqual(['d /online/ann "here"'])
    kill()
    expect(await watcher.first(2)).toEqual(['d /online/ann "here"', 'd /online/ann "gone"'])
  })

  test.each(VERSIONS)('%s: a custom token signs a user in, and errors have their codes', async (version) => {
    const token = customToken(SECRET, { uid: 'ann' })
    const { denied, refused } = CODES[version]
    expect(await runScenario(closed, [version, 'auth', token])).toMatchObject({
      before: { code: denied, message: expect.stringContaining('PERMISSION_DENIED') },
      unread: { code: denied },
      refused: { code: refused },
      value: 'yes',
    })
  })

  test.each(inLanes([], VERSIONS))('%s: a client whose token has expired goes on without a user', async (version) => {
    const token = customToken(SECRET, { uid: 'ann', exp: nowInSeconds() + 2 })
    const { denied } = CODES[version]
    expect(await runScenario(closed, [version, 'expiry', token])).toMatchObject({ code: denied })
  })
})
