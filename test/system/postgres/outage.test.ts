/** A database that goes away while a server runs, and comes back. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openSource } from '../../support/event-source.ts'
import { longTest } from '../../support/lane.ts'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { TcpPostgres } from '../../support/postgres/tcp-server.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'

/** Requests of each kind while the database is away. */
const REQUESTS = 12

describe.skipIf(whyNoPostgres !== undefined)(`an outage${whyNoPostgres ? `: ${whyNoPostgres}` : ''}`, () => {
  let postgres: TcpPostgres

  beforeAll(async () => {
    postgres = await TcpPostgres.create()
  }, 120_000)

  afterAll(() => postgres[Symbol.asyncDispose]())

  test('requests get 503, the log two lines, and all goes on when it is back', async () => {
    await using server = await spawnServer({ DATABASE_URL: postgres.url(), DATABASE_WAIT_MS: '300' })
    const client = await clientOfProcess(server)
    const { call } = client
    const put = (path: string, body: string) => call('PUT', path, { body })
    await put('/a.json', '{"b":1}')
    await using stream = await openSource(client, '/a.json')
    expect(await stream.next()).toEqual({ kind: 'put', path: '/', data: { b: 1 } })
    await postgres.crash()
    const answers = await Promise.all(
      Array.from({ length: REQUESTS }, async (_, at) => {
        const both = [await call('GET', `/a/${at}.json`), await put(`/c/${at}.json`, '1')]
        return both.map(({ status, headers }) => [status, headers.get('Retry-After')])
      }),
    )
    expect(answers.flat()).toEqual(Array.from({ length: 2 * REQUESTS }, () => [503, '2']))
    expect((await call('GET', '/ready')).status).toBe(503)
    await postgres.start()
    let status = 503
    for (let tries = 0; status === 503 && tries < 200; tries++) ({ status } = await put('/a/b.json', '2'))
    expect(status).toBe(200)
    expect(await stream.next()).toEqual({ kind: 'put', path: '/b', data: 2 })
    expect(JSON.parse((await call('GET', '/.json')).text)).toEqual({ a: { b: 2 } })
    expect((await call('GET', '/ready')).status).toBe(200)
    const lines = server.output().split('\n')
    expect(lines.filter((line) => line.includes('the database is away'))).toHaveLength(1)
    const errors = lines.filter((line) => /"level":[56]0/.test(line))
    expect(errors, errors.join('\n')).toHaveLength(1)
    expect(server.output()).not.toContain('bun:sql')
    const back = lines.filter((line) => line.includes('the database is back'))
    expect(back).toHaveLength(1)
    expect((JSON.parse(back[0] ?? '{}') as { refused: number }).refused).toBeGreaterThanOrEqual(2 * REQUESTS)
  }, 120_000)

  longTest(
    'a start meanwhile says so in one line, requests get 503, and all goes on when it is there',
    async () => {
      await postgres.crash()
      await using server = await spawnServer({ DATABASE_URL: postgres.url(), DATABASE_WAIT_MS: '300' })
      const { call } = await clientOfProcess(server)
      const { status, headers } = await call('GET', '/a.json')
      expect([status, headers.get('Retry-After')]).toEqual([503, '2'])
      await postgres.start()
      let written = 503
      for (let tries = 0; written === 503 && tries < 200; tries++) {
        ;({ status: written } = await call('PUT', '/c.json', { body: '3' }))
      }
      expect(written).toBe(200)
      const lines = server.output().split('\n')
      const errors = lines.filter((line) => /"level":[56]0/.test(line))
      expect(errors).toEqual([expect.stringContaining('no server answers there')])
      expect(lines.filter((line) => line.includes('the database is back'))).toHaveLength(1)
    },
    120_000,
  )
})
