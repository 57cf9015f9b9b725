/** The metrics of servers on PostgreSQL. */
import { describe, expect, test } from 'bun:test'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../support/postgres/cluster.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'

const SECRET = 'a secret of the metrics test, long enough'

/** Values of the metrics that a server shows, by name and labels. */
async function metricsOf({ call }: Awaited<ReturnType<typeof clientOfProcess>>): Promise<ReadonlyMap<string, number>> {
  const { status, text } = await call('GET', `/metrics?auth=${encodeURIComponent(SECRET)}`)
  expect(status).toBe(200)
  return new Map(
    [...text.matchAll(/^([a-z_]+(?:\{.*\})?) ([\d.e+-]+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
  )
}

describe.skipIf(whyNoPostgres !== undefined)(
  `metrics of PostgreSQL${whyNoPostgres ? `: ${whyNoPostgres}` : ''}`,
  () => {
    test('two servers count what they ask, tell and hear', async () => {
      const settings = { DATABASE_URL: databaseUrl() ?? '', DATABASE_SCHEMA: freshSchema(), APP_SECRET: SECRET }
      await using one = await spawnServer(settings)
      await using other = await spawnServer(settings)
      const [writer, reader] = [await clientOfProcess(one), await clientOfProcess(other)]
      for (let at = 0; at < 5; at++) {
        expect((await writer.call('PUT', '/a.json', { body: String(at) })).status).toBe(200)
        for (let reads = 0; reads < 2; reads++) expect((await reader.call('GET', '/a.json')).text).toBe(String(at))
      }
      const [wrote, read] = [await metricsOf(writer), await metricsOf(reader)]
      const of = (metrics: ReadonlyMap<string, number>, name: string) => metrics.get(`dhole_${name}`) ?? Number.NaN
      expect(of(wrote, 'database_round_trips_total{kind="statement"}')).toBeGreaterThanOrEqual(5)
      expect(of(wrote, 'hints_total{kind="sent"}')).toBeGreaterThanOrEqual(1)
      expect(of(wrote, 'batch_conflicts_total')).toBe(0)
      expect(of(read, 'checks_total')).toBeGreaterThanOrEqual(5)
      expect(of(read, 'checked_reads_total')).toBeGreaterThanOrEqual(of(read, 'checks_total'))
      expect(of(read, 'follower_lag_batches_count')).toBeGreaterThanOrEqual(1)
      expect(of(read, 'processes_alive')).toBe(2)
      expect(Math.abs(of(read, 'database_clock_offset_seconds'))).toBeLessThan(60)
      expect(of(read, 'database_away')).toBe(0)
      expect(of(read, 'batches_in_doubt_total')).toBe(0)
      expect(of(read, 'follower_resets_total')).toBe(0)
    }, 120_000)
  },
)

test('a server on files has none of them', async () => {
  await using server = await spawnServer({ APP_SECRET: SECRET })
  const names = [...(await metricsOf(await clientOfProcess(server))).keys()].join('\n')
  expect(names).toContain('dhole_sync_seconds')
  expect(names).not.toMatch(/dhole_(?:database|batch_conflicts|batches|follower|hints|checks|checked|processes)/)
}, 120_000)
