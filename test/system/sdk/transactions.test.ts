import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { inLanes } from '../../support/lane.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { withServer } from '../../support/with-server.ts'

const server = withServer()
const contender = join(import.meta.dir, 'contender.ts')

/** Processes, clients of each, and transactions of each client. */
const [PROCESSES, CLIENTS, EACH] = inLanes([1, 8, 12] as const, [8, 1, 198] as const)

/** SDKs give up after so many attempts. */
const MOST_ATTEMPTS = 25

test.each([
  ['one node', ['counter']],
  ['nodes within each other', ['nested', 'nested/a', 'nested/a/b']],
])(
  'transactions of eight clients on %s all succeed, and count exactly',
  async (_, places) => {
    await server.call('DELETE', '/.json')
    const dir = await tempDir()
    const ca = join(dir.path, 'ca.pem')
    await Bun.write(ca, server.ca)
    const outcomes = await Promise.all(
      Array.from({ length: PROCESSES }, async () => {
        const parameters = [`${server.url}/?ns=app`, String(CLIENTS), String(EACH), places.join(',')]
        const running = Bun.spawn([process.execPath, contender, ...parameters], {
          env: { ...process.env, NODE_EXTRA_CA_CERTS: ca },
          stdout: 'pipe',
          stderr: 'inherit',
          timeout: 120_000,
        })
        return JSON.parse(await new Response(running.stdout).text()) as { errors: string[]; mostAttempts: number }
      }),
    )
    expect(outcomes.flatMap(({ errors }) => errors)).toEqual([])
    expect(Math.max(...outcomes.map(({ mostAttempts }) => mostAttempts))).toBeLessThan(MOST_ATTEMPTS)
    const counts = await Promise.all(
      places.map(async (place) => Number((await server.call('GET', `/${place}/n.json`)).text)),
    )
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(PROCESSES * CLIENTS * EACH)
  },
  inLanes(20_000, 150_000),
)
