/** Two servers on one database with one folder. */
import { expect, test } from 'bun:test'
import { lockForServer } from '../../../src/data-folder/server-lock.ts'
import { runDhole } from '../../support/dhole-command.ts'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { databaseSettings } from '../../support/postgres/server-settings.ts'
import { spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

const ADVICE = 'one folder is served by one server; on PostgreSQL give each one a folder of its own'

test.skipIf(whyNoPostgres !== undefined)(
  whyNoPostgres ?? 'of two servers in one folder the second says so',
  async () => {
    await using dir = await tempDir()
    const settings = { ...databaseSettings(), DATA_DIR: dir.path, PORT: '0' }
    const start = async () => {
      const { status, stderr } = await runDhole(['serve'], settings)
      return [status, stderr]
    }
    const starting = lockForServer(dir.path)
    expect(await start()).toEqual([2, `dhole: DATA_DIR: another server starts in ${dir.path}: ${ADVICE}\n`])
    starting[Symbol.dispose]()
    await using server = await spawnServer(settings)
    const by = `the server at ${server.url} (process ${server.pid})`
    expect(await start()).toEqual([2, `dhole: DATA_DIR: ${dir.path} is in use by ${by}: ${ADVICE}\n`])
    server.kill('SIGKILL')
    await server.exited
    await using next = await spawnServer(settings)
    expect(next.pid).not.toBe(server.pid)
  },
  120_000,
)
