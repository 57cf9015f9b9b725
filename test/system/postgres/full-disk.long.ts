/** A database whose disk is full while a server runs, and has room again. */
import '../../support/long-lane.ts'
import { describe, expect, test } from 'bun:test'
import { openSource } from '../../support/event-source.ts'
import { OwnedPostgres } from '../../support/postgres/owned-server.ts'
import { whyNoSmallDisk } from '../../support/postgres/small-disk.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'

const MEGABYTES = 128
/** Does not compress well, and is larger than what is free inside the files of a table. */
const LARGE = Array.from({ length: 8000 }, (_, at) => Math.sin(at).toString(36)).join('')
const REFUSED = 12

describe.skipIf(whyNoSmallDisk !== undefined)(`a full disk${whyNoSmallDisk ? `: ${whyNoSmallDisk}` : ''}`, () => {
  test('503, nothing half done, and all goes on when there is room', async () => {
    await using postgres = await OwnedPostgres.create({ diskMegabytes: MEGABYTES })
    await using server = await spawnServer({ DATABASE_URL: postgres.url, DATABASE_WAIT_MS: '100' })
    const client = await clientOfProcess(server)
    const { call } = client
    const put = (path: string, body: string) => call('PUT', path, { body })
    expect((await put('/a.json', '{"b":1}')).status).toBe(200)
    await using stream = await openSource(client, '/a.json')
    expect(await stream.next()).toEqual({ kind: 'put', path: '/', data: { b: 1 } })
    await postgres.disk.fill()
    const acknowledged: string[] = []
    const refused: string[] = []
    for (let at = 0; refused.length < REFUSED; at++) {
      const name = `k${at}`
      // Large ones need room in tables, small ones in the log alone.
      const [one, two] = [at % 3 === 0 ? LARGE : at, at]
      const { status, headers } = await call('PATCH', '/large.json', {
        body: JSON.stringify({ [`one/${name}`]: one, [`two/${name}`]: two }),
      })
      if (status === 200) acknowledged.push(name)
      else expect([status, headers.get('Retry-After'), refused.push(name) > 0]).toEqual([503, '2', true])
      expect(at).toBeLessThan(20_000)
    }
    expect(server.output()).toContain('No space left on device')
    await postgres.disk.free()
    await postgres.recover()
    let status = 503
    for (let tries = 0; status === 503 && tries < 300; tries++) ({ status } = await put('/a/b.json', '2'))
    expect(status).toBe(200)
    expect(await stream.next()).toEqual({ kind: 'put', path: '/b', data: 2 })
    const { one = {}, two = {} } = (JSON.parse((await call('GET', '/large.json')).text) ?? {}) as Record<string, object>
    const names = Object.keys(one)
    expect(Object.keys(two)).toEqual(names)
    expect(acknowledged.filter((name) => !names.includes(name))).toEqual([])
  }, 120_000)
})
