import '../../support/long-lane.ts'
import { describe, expect, test } from 'bun:test'
import { DUMP, NEW_EPOCH, RESTORE } from '../../../console/src/backups/postgres-commands.ts'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { programs } from '../../support/postgres/programs.ts'
import { databaseSettings } from '../../support/postgres/server-settings.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

const SECRET = 'the secret of the tests of backups'
const AUTH = `auth=${encodeURIComponent(SECRET)}`
const tools = programs()
const reason = whyNoPostgres ?? (tools === undefined ? 'no pg_dump here' : undefined)

describe.skipIf(reason !== undefined)(reason ?? 'the commands that the console shows for PostgreSQL', () => {
  test('copy all applications while a server runs, and bring them back', async () => {
    await using dir = await tempDir()
    const settings = databaseSettings()
    const run = async (command: string) => {
      const own = command
        .replaceAll('=dhole ', `=${settings['DATABASE_SCHEMA']} `)
        .replaceAll(' dhole.a', ` ${settings['DATABASE_SCHEMA']}.a`)
      const { DATABASE_URL = '' } = settings
      const child = Bun.spawn(['sh', '-c', own], {
        cwd: dir.path,
        env: { PATH: `${tools}:${process.env['PATH']}`, DATABASE_URL },
        stderr: 'pipe',
      })
      expect([own, await child.exited, await new Response(child.stderr).text()]).toEqual([own, 0, ''])
    }
    const start = async () => {
      const server = await spawnServer({ ...settings, APP_SECRET: SECRET, LOG_LEVEL: 'error' })
      return { server, client: await clientOfProcess(server) }
    }
    const first = await start()
    await first.client.call('PUT', `/notes.json?${AUTH}`, { body: '{"monday":"Buy milk"}' })
    await run(DUMP)
    await first.client.call('PUT', `/notes.json?${AUTH}`, { body: '{"monday":"gone"}' })
    await first.server.stop()
    await run(RESTORE)
    await run(NEW_EPOCH)
    const second = await start()
    expect((await second.client.call('GET', `/notes.json?${AUTH}`)).text).toBe('{"monday":"Buy milk"}')
    expect((await second.client.call('PUT', `/notes/tuesday.json?${AUTH}`, { body: '1' })).status).toBe(200)
    await second.server.stop()
  })
})
