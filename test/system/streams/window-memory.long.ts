import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { EventSource, escapedTarget } from '../../support/event-source.ts'
import { clientOfProcess } from '../../support/server-process.ts'
import { canWatch, startWatchedServer } from '../../support/watched-server.ts'

const MEBI = 1024 * 1024
const NO_ROOM = 'event: cancel\ndata: The service has no room for so much data, please request less.\n\n'
const ROWS = 100_000
const ROWS_A_WRITE = 5000
const STREAMS = 80
/** Room for the keys of some of them. */
const MAX_TRANSFER_BYTES = 64 * MEBI
/** What a server keeps of texts it has answered with, and what its allocator keeps of what was garbage. */
const MORE_BYTES = 160 * MEBI

/** Reads until the event of `/last`, or to the end. @returns whether the stream has not ended */
async function isFollowing(source: EventSource): Promise<boolean> {
  for (;;) {
    const next = await source.nextMessage()
    if (next === undefined) return false
    if (next.text.startsWith('{"path":"/last"')) return true
  }
}

function residentOf(pid: number): number {
  return Number(/VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) * 1024
}

test.skipIf(!canWatch)(
  '80 windows over 100,000 children each do not take more memory than there may be held',
  async () => {
    const server = await startWatchedServer({ MAX_TRANSFER_BYTES: String(MAX_TRANSFER_BYTES) })
    const listening = await clientOfProcess(server)
    for (let first = 0; first < ROWS; first += ROWS_A_WRITE) {
      const rows = Array.from({ length: ROWS_A_WRITE }, (_each, row) => [
        `a row with a key ${first + row}`,
        first + row,
      ])
      const body = JSON.stringify(Object.fromEntries(rows))
      expect((await listening.call('PATCH', '/list.json', { body })).status).toBe(200)
    }
    const before = residentOf(server.pid)
    const open: EventSource[] = []
    const statuses = new Set<number>()
    for (let number = 0; number < STREAMS; number++) {
      const source = await EventSource.open(listening, escapedTarget(`/list.json?orderBy="$value"&startAt=-${number}`))
      statuses.add(source.status)
      open.push(source)
      if (source.status === 200) await source.nextMessage()
    }
    expect(statuses).toEqual(new Set([200]))
    // Garbage goes when the collector likes; what is held stays.
    while (residentOf(server.pid) > before + MAX_TRANSFER_BYTES + MORE_BYTES) {
      expect((await listening.call('GET', '/list/none.json')).status).toBe(200)
      await Bun.sleep(100)
    }
    expect((await listening.call('PUT', '/list/last.json', { body: '1' })).status).toBe(200)
    // The largest made room for the later ones, and ended with that reason; all others follow.
    let following = 0
    for (const source of open) {
      if (await isFollowing(source)) following++
      else expect(source.raw).toEndWith(NO_ROOM)
    }
    expect(following).toBeGreaterThan(0)
    expect(following).toBeLessThan(STREAMS)
    for (const source of open) await source.close()
    await server.stop()
  },
)
