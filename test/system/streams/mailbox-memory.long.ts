import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type EventSource, openSource } from '../../support/event-source.ts'
import { clientOfProcess } from '../../support/server-process.ts'
import { canWatch, startWatchedServer } from '../../support/watched-server.ts'

const MEBI = 1024 * 1024
const STREAMS = 60
/** Of each node: together less than may wait for one subscriber. */
const EVENTS = 28
const EVENT_LENGTH = MEBI / 4
const MAX_TRANSFER_BYTES = 16 * MEBI
/** What the connections and caches keep, and what the allocator keeps of what was garbage. */
const MORE_BYTES = 200 * MEBI

function residentOf(pid: number): number {
  return Number(/VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) * 1024
}

test.skipIf(!canWatch)(
  'what waits for 60 streams that do not read takes no more memory than there may be held, and each catches up',
  async () => {
    const server = await startWatchedServer({ MAX_TRANSFER_BYTES: String(MAX_TRANSFER_BYTES) })
    const client = await clientOfProcess(server)
    const slow: [string, EventSource][] = []
    for (let number = 0; number < STREAMS; number++) {
      const path = `/slow/${number}.json`
      expect((await client.call('PUT', path, { body: '{"n":-1}' })).status).toBe(200)
      const source = await openSource(client, path)
      await source.next()
      source.pause()
      slow.push([path, source])
    }
    const before = residentOf(server.pid)
    for (let n = 0; n < EVENTS; n++) {
      const body = JSON.stringify({ n, text: String(n % 10).repeat(EVENT_LENGTH) })
      for (const [path] of slow) expect((await client.call('PATCH', path, { body })).status).toBe(200)
    }
    // Garbage goes when the collector likes; what is held stays.
    while (residentOf(server.pid) > before + MAX_TRANSFER_BYTES + MORE_BYTES) {
      expect((await client.call('GET', '/none.json')).status).toBe(200)
      await Bun.sleep(100)
    }
    for (const [path, source] of slow) {
      source.resume()
      const wanted = (await client.call('GET', path)).text
      while (source.cache.plainText !== wanted) await source.next()
      await source.close()
    }
    await server.stop()
  },
)
