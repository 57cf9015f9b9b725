import { describe, expect, test } from 'bun:test'
import { canWatch } from '../../support/watched-server.ts'
import { watchNodes, writesToAll } from './watched-nodes.ts'

describe.skipIf(!canWatch)('no write to tens of thousands of watched nodes holds the event loop', () => {
  test.each([
    [10_000, ''],
    [20_000, ''],
    [20_000, '?orderBy="$key"&limitToLast=2'],
  ])(
    '%i streams%s',
    async (count, query) => {
      const watched = await watchNodes(count, query)
      try {
        for (const [method, member] of writesToAll) {
          expect(await watched.holdOf(method, member)).toBeLessThan(watched.boundMs())
        }
      } finally {
        await watched.stop()
      }
    },
    300_000,
  )
})
