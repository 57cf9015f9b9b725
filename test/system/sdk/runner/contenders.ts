import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { HttpsClient } from '../../../support/https-server.ts'
import { tempDir } from '../../../support/temp-dir.ts'

const program = join(import.meta.dir, '../contender.ts')

/** SDKs give up after so many attempts. */
const MOST_ATTEMPTS = 25

/** Processes, clients of each, and transactions of each client. */
interface Contention {
  readonly processes: number
  readonly clients: number
  readonly each: number
}

/** @param servers those that the processes connect to in turn */
export function contendersCount(
  servers: () => readonly HttpsClient[],
  { processes, clients, each }: Contention,
  timeoutMs?: number,
): void {
  test.each([
    ['one node', ['counter']],
    ['nodes within each other', ['nested', 'nested/a', 'nested/a/b']],
  ])(
    'transactions of many clients on %s all succeed, and count exactly',
    async (_, places) => {
      const all = servers()
      const [first] = all
      if (first === undefined) throw new Error('there is no server')
      await first.call('DELETE', '/open/contended.json')
      await using dir = await tempDir()
      const ca = dir.file('ca.pem')
      await Bun.write(ca, first.ca)
      const paths = places.map((place) => `open/contended/${place}`)
      const outcomes = await Promise.all(
        Array.from({ length: processes }, async (_, at) => {
          const { url = '' } = all[at % all.length] ?? {}
          const parameters = [`${url}/?ns=app`, String(clients), String(each), paths.join(',')]
          const running = Bun.spawn([process.execPath, program, ...parameters], {
            env: { ...process.env, NODE_EXTRA_CA_CERTS: ca },
            stdout: 'pipe',
            stderr: 'inherit',
            timeout: timeoutMs ?? 0,
          })
          return JSON.parse(await new Response(running.stdout).text()) as { errors: string[]; mostAttempts: number }
        }),
      )
      expect(outcomes.flatMap(({ errors }) => errors)).toEqual([])
      expect(Math.max(...outcomes.map(({ mostAttempts }) => mostAttempts))).toBeLessThan(MOST_ATTEMPTS)
      const counts = await Promise.all(
        paths.map(async (path) => Number((await first.call('GET', `/${path}/n.json`)).text)),
      )
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(processes * clients * each)
    },
    timeoutMs,
  )
}
