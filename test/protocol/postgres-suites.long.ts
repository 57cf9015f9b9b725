import { expect, test } from 'bun:test'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { whyNoPostgres } from '../support/postgres/cluster.ts'

const ROOT = join(import.meta.dir, '../..')
const TIMEOUT_MS = 600_000

/** Folders whose tests run on PostgreSQL with the numbers of the long lane. */
const LONG_SUITES = [
  'test/protocol/streams',
  'test/protocol/sms',
  'test/protocol/http',
  'test/protocol/applications',
  'test/protocol/metrics',
  'test/protocol/security',
]

/** Folders and files whose tests run on PostgreSQL as a whole. */
const SUITES = [
  'test/protocol/rest',
  'test/model/streams/embedded.test.ts',
  'test/model/streams/https.test.ts',
  'test/model/streams/many-streams.long.ts',
  'test/model/streams/slow-reader.long.ts',
  'test/model/streams/stop.long.ts',
  'test/model/store/model.test.ts',
  'test/model/store/query.test.ts',
  'test/protocol/http/fuzz.long.ts',
  'test/unit/applications',
  'test/unit/embedded',
  'test/unit/http',
  'test/unit/security',
  'test/unit/streams',
]

test.skipIf(whyNoPostgres !== undefined).each([...LONG_SUITES, ...SUITES])(
  `%s passes on PostgreSQL${whyNoPostgres === undefined ? '' : ` (skipped: ${whyNoPostgres})`}`,
  async (suite) => {
    const child = Bun.spawn([process.execPath, 'test', '--timeout', '60000', `./${suite}`], {
      cwd: ROOT,
      env: {
        ...process.env,
        TEST_ENGINE: 'postgres',
        TMPDIR: tmpdir(),
        ...(LONG_SUITES.includes(suite) ? { TEST_LANE: 'long' } : {}),
      },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [printed, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    const lines = `${printed}${errors}`.split('\n')
    expect(lines.filter((line) => line.startsWith('(fail)'))).toEqual([])
    expect({ status: await child.exited, end: lines.slice(-8) }).toMatchObject({ status: 0 })
    expect(lines.filter((line) => line.startsWith('(pass)')).length).toBeGreaterThan(0)
  },
  TIMEOUT_MS,
)
