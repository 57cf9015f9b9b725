import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../support/postgres/cluster.ts'
import { tempDir } from '../../support/temp-dir.ts'

import { logIn, OPERATOR, operate, statusOf } from './console-client.ts'

test.skipIf(whyNoPostgres !== undefined)(
  'a session is valid on every server of a database, and ends on all',
  async () => {
    await using dir = await tempDir()
    const database = { url: databaseUrl() ?? '', schema: freshSchema() }
    const start = (name: string) => {
      // The support of tests looks for files there when the server has stopped.
      mkdirSync(dir.file(`${name}/apps`), { recursive: true })
      const applications = { app: { secret: SECRET } }
      return startInProcess({ dataDir: dir.file(name), database, console: { secret: OPERATOR }, applications })
    }
    await using one = await start('one')
    await using two = await start('two')
    const session = await logIn(one)
    const other = await logIn(two)
    expect([await statusOf(one, other), await statusOf(two, session)]).toEqual([200, 200])
    expect((await two.call('DELETE', '/.admin/session', { headers: session.headers })).status).toBe(200)
    expect([await statusOf(one, session), await statusOf(two, session)]).toEqual([401, 401])
    expect([await statusOf(one, other), await statusOf(two, other)]).toEqual([200, 200])
    const app = await logIn(one, { secret: SECRET, application: 'app' })
    expect((await operate(two, 'tree-rules', { id: 'app' }, app.headers)).status).toBe(200)
    expect((await one.call('DELETE', '/.admin/sessions', { headers: other.headers })).status).toBe(200)
    expect([await statusOf(one, other), await statusOf(two, other)]).toEqual([401, 401])
    expect((await operate(two, 'tree-rules', { id: 'app' }, app.headers)).status).toBe(200)
  },
)
