import { describe, expect, test } from 'bun:test'
import { canWatch } from '../../support/watched-server.ts'
import { watchNodes, writesToAll } from './watched-nodes.ts'

/** The same with more nodes: watched-nodes.long.ts. */
const COUNT = 1000

describe.skipIf(!canWatch)('no write to thousands of watched nodes holds the event loop', () => {
  test.each([['nodes', ''] as const, ['queries', '?orderBy="$key"&limitToLast=2'] as const])(
    'streams of %s',
    async (_, query) => {
      const watched = await watchNodes(COUNT, query)
      try {
        for (const [method, member] of writesToAll) {
          expect(await watched.holdOf(method, member)).toBeLessThan(watched.boundMs())
        }
      } finally {
        await watched.stop()
      }
    },
    120_000,
  )
})
