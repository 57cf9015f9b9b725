import { expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientOfProcess } from '../apps/clients.ts'
import { wide } from '../support/store.ts'
import { canWatch, HOLD_BOUND_MS, startWatchedServer } from '../support/watched-server.ts'
import { DEAR_RULES } from './dear-rules.ts'

const FLOOD = 48

test.skipIf(!canWatch)(
  'a flood of small writes with dear rules holds up neither the loop nor other writers',
  async () => {
    const rules = join(tmpdir(), `dhole-rules-${crypto.randomUUID()}.json`)
    await Bun.write(rules, DEAR_RULES)
    const server = await startWatchedServer({ RULES: rules })
    try {
      const { call } = await clientOfProcess(server)
      const put = async (path: string, value: unknown): Promise<number> =>
        (await call('PUT', path, { body: JSON.stringify(value) })).status
      const small = () => put('/small.json', 1)
      const dear = () =>
        put(
          '/list.json',
          wide(220, () => 1),
        )
      expect(await dear()).toBe(200)
      const idle = await server.watch(async () => {
        for (let count = 0; count < 50; count++) await small()
      })
      let passed = 0
      const busy = await server.watch(async () => {
        let isOver = false
        const flood = Promise.all(Array.from({ length: FLOOD }, dear)).finally(() => {
          isOver = true
        })
        for (; !isOver; passed++) expect(await small()).toBe(200)
        expect(new Set(await flood)).toEqual(new Set([200]))
      })
      expect(passed).toBeGreaterThan(FLOOD)
      expect(busy.longestHoldMs).toBeLessThan(Math.max(HOLD_BOUND_MS, 3 * idle.longestHoldMs))
    } finally {
      await server.stop()
      await rm(rules)
    }
  },
)
