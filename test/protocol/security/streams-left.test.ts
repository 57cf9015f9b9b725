import { expect, spyOn, test } from 'bun:test'
import { Elysia } from 'elysia'
import { StreamGuard } from '../../../src/database/streams/stream-guard.ts'
import { mount, openApplications } from '../../../src/dhole.ts'
import { storageOf } from '../../support/engine.ts'
import { EventSource } from '../../support/event-source.ts'
import { clientOf, SECRET } from '../../support/https-server.ts'
import { inLanes } from '../../support/lane.ts'
import { sharedCertificate } from '../../support/shared-certificate.ts'
import { turns } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { customToken, nowInSeconds } from '../../support/token.ts'

const STREAMS = inLanes(120, 400)
const AT_ONCE = 40

test.each([
  ['HTTP/1.1', false],
  ['HTTP/2', true],
] as const)('of streams that are opened and closed nothing is left: %s', async (_, http2) => {
  await using dir = await tempDir()
  const tls = await sharedCertificate()
  const rules = JSON.stringify({ rules: { '.read': "auth != null && root.child('a').val() != 2" } })
  const options = { ...storageOf(dir.path), dataDir: dir.path, applications: { app: { secret: SECRET, rules } } }
  const { applications } = openApplications(options)
  const app = new Elysia().use(mount(applications, options))
  app.listen({ hostname: '127.0.0.1', port: 0, tls, http2: true })
  const client = clientOf(app.server?.port ?? 0, tls.cert)
  const { database } = await applications.choose('app', '')
  const token = customToken(SECRET, { uid: 'ann', exp: nowInSeconds() + 3600 })
  const released = spyOn(StreamGuard.prototype, 'release')
  try {
    const target = `/a.json?auth=${token}`
    for (let opened = 0; opened < STREAMS; opened += AT_ONCE) {
      const sources = await Promise.all(
        Array.from({ length: AT_ONCE }, () => EventSource.open(client, target, { http2 })),
      )
      await Promise.all(sources.map((source) => source.close()))
    }
    while (database.isWatched) await turns(1)
    const guards: ReadonlySet<unknown> = new Set(released.mock.contexts)
    expect(guards.size).toBe(STREAMS)
    // Rules that nobody listens to any more concern nobody.
    await database.setRules('{"rules":{}}')
    expect(new Set(released.mock.contexts).size).toBe(guards.size)
  } finally {
    released.mockRestore()
    await app.stop(true)
  }
})
