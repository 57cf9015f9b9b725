/** A server whose address leads to a standby. */
import '../../support/long-lane.ts'
import { describe, expect, test } from 'bun:test'
import { runDhole } from '../../support/dhole-command.ts'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { OwnedPostgres } from '../../support/postgres/owned-server.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

const REASON = 'it is a standby, which takes no writes'

describe.skipIf(whyNoPostgres !== undefined)(`a standby${whyNoPostgres ? `: ${whyNoPostgres}` : ''}`, () => {
  test('is reported by the start and by the doctor, and served once it is promoted', async () => {
    await using primary = await OwnedPostgres.create()
    await using standby = await primary.follow()
    await using dir = await tempDir()
    const settings = { DATABASE_URL: standby.url, DATABASE_WAIT_MS: '300' }
    await using server = await spawnServer({ ...settings, DATA_DIR: dir.file('data') })
    const { call } = await clientOfProcess(server)
    expect(server.output()).toContain(REASON)
    expect((await call('GET', '/a.json')).status).toBe(503)
    const { status, stdout } = await runDhole(['doctor', '--data-dir', dir.file('data')], settings)
    const place = new URL(standby.url).searchParams.get('host')
    const line = `problem  database: cannot use the database ${place}/postgres: ${REASON} -> start it, or correct DATABASE_URL`
    expect([status, stdout.split('\n').filter((each) => each.startsWith('problem'))]).toEqual([1, [line]])
    await standby.promote()
    let served = 503
    for (let tries = 0; served === 503 && tries < 200; tries++) {
      ;({ status: served } = await call('PUT', '/a.json', { body: '1' }))
    }
    expect(served).toBe(200)
    expect((await call('GET', '/a.json')).text).toBe('1')
  }, 120_000)
})
