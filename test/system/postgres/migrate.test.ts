/** `dhole migrate`: the tables of a database without a server. */
import { describe, expect, test } from 'bun:test'
import { newestVersion } from '../../../src/store/postgres/schema/migrations.ts'
import { runDhole } from '../../support/dhole-command.ts'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { databaseSettings } from '../../support/postgres/server-settings.ts'

test('without a database: one line', async () => {
  const { status, stderr } = await runDhole(['migrate'])
  const line = 'dhole: DATABASE_URL is not set: files are brought up to date when they are opened\n'
  expect([status, stderr]).toEqual([2, line])
})

describe.skipIf(whyNoPostgres !== undefined)(`dhole migrate${whyNoPostgres ? `: ${whyNoPostgres}` : ''}`, () => {
  test('makes the tables, and says what there is to do', async () => {
    const settings = databaseSettings()
    const run = async (...flags: readonly string[]) => {
      const { status, stdout, stderr } = await runDhole(['migrate', ...flags], settings)
      return [status, stdout, stderr]
    }
    const upToDate = expect.stringMatching(/^the tables of the schema "\w+" at .* are up to date \(version \d+\)\n$/)
    expect(await run('--check')).toEqual([1, expect.stringMatching(/^to do: 0000_tree\nto do: 0001_sms\n/), ''])
    expect(await run()).toEqual([0, expect.stringMatching(/^done: 0000_tree\n(done: .*\n)*the tables .*\n$/), ''])
    expect(await run('--check')).toEqual([0, upToDate, ''])
    expect(await run()).toEqual([0, upToDate, ''])
    expect(await run('--quiet', '--finish')).toEqual([0, '', ''])
    const [, json] = await run('--check', '--json')
    expect(JSON.parse(String(json))).toMatchObject({ version: newestVersion(), applied: [], pending: [], waiting: [] })
    expect(await run('--check', '--finish')).toEqual([2, '', expect.stringContaining('cannot be used with option')])
  }, 120_000)
})
