import { describe, expect, test } from 'bun:test'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { TRUSTED } from '../../../src/tree/read-program.ts'
import { HeldSyncs } from '../../support/held-syncs.ts'
import { plain, put, putJob, strictObserver, turns, unlimited, watch, wide } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { integrityProblems } from './integrity.ts'

const LONG = 'x'.repeat(5000)

describe('the write-ahead log', () => {
  const LIMIT = 256 * 1024

  test('stays a few times its limit under many writes', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    await using store = new SqliteStore(file, { walLimitBytes: LIMIT }, strictObserver)
    let longest = 0
    const written = new Map<string, string>()
    for (let round = 0; round < 200; round++) {
      const puts: Promise<unknown>[] = []
      for (let index = 0; index < 20; index++) {
        const key = `k${(round * 7919 + index * 104_729) % 1000}`
        const text = `${round}-${index} `.repeat(20)
        written.set(key, text)
        puts.push(put(store, `/list/${key}/text`, text))
      }
      await Promise.all(puts)
      longest = Math.max(longest, Bun.file(`${file}-wal`).size)
    }
    expect(longest).toBeGreaterThan(LIMIT / 2)
    expect(longest).toBeLessThan(LIMIT * 4)
    const read = async (from: SqliteStore) => JSON.parse((await plain(from, '/list')) ?? '')
    const expected = Object.fromEntries([...written].map(([key, text]) => [key, { text }]))
    expect(await read(store)).toEqual(expected)
    expect(store.position().seq).toBe(4000)
    await store.swept()
    await store.close()
    expect(integrityProblems(file)).toEqual([])
    await using reopened = new SqliteStore(file, {}, strictObserver)
    expect(await read(reopened)).toEqual(expected)
  })

  test('is not written to, and nothing new is seen, while it is shortened', async () => {
    await using directory = await tempDir()
    const syncs = new HeldSyncs()
    // One row of a long text needs one transaction.
    const options = { walLimitBytes: LIMIT, chunkLength: 2 * LIMIT, syncLog: syncs.syncLog }
    await using store = new SqliteStore(directory.file('tree'), options, strictObserver)
    await put(store, '/n', 0)
    await store.swept()
    for (let round = 1; round <= 20; round++) {
      syncs.holding = true
      const large = watch(put(store, '/large', 'x'.repeat(2 * LIMIT)))
      await syncs.arrived()
      // Its batch is about to begin in the moment when the sync returns and the log turns out to be too long.
      const next = watch(put(store, '/n', round))
      syncs.end(null)
      await turns(1)
      expect(large.state).toBe('resolved')
      while (syncs.waiting === 0) {
        expect(await plain(store, '/n')).toBe(String(round - 1))
        await turns(1)
      }
      for (let turn = 0; turn < 50; turn++) {
        expect([await plain(store, '/n'), store.position().seq]).toEqual([String(round - 1), 2 * round])
        await turns(1)
      }
      expect(next.state).toBe('waiting')
      syncs.release()
      while (next.state === 'waiting') await turns(1)
      expect(await plain(store, '/n')).toBe(String(round))
    }
  })

  test('is shortened again after a long read stood in the way', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree')
    await using store = new SqliteStore(file, { walLimitBytes: LIMIT, cacheLength: 0 }, strictObserver)
    const big = wide(4000, (index) => `${index} `.repeat(500))
    for (let part = 0; part < 10; part++) {
      const members = Object.entries(big).slice(part * 400, part * 400 + 400)
      await put(store, `/big/${part}`, Object.fromEntries(members))
    }
    let writes = 0
    for (let round = 0; round < 3; round++) {
      const reading = watch(Promise.resolve(store.node(['big'], unlimited, TRUSTED)))
      while (reading.state === 'waiting') await put(store, '/n', ++writes)
      expect(reading.state).toBe('resolved')
      expect(Object.assign({}, ...JSON.parse(reading.value?.plain ?? ''))).toEqual(big)
    }
    let longest = 0
    for (let index = 0; index < 1000; index++) {
      await Promise.all([store.commit(putJob(`/small/k${index % 50}`, LONG)), put(store, '/n', ++writes)])
      // By then whatever the long reads had held back has been folded in.
      if (index > 500) longest = Math.max(longest, Bun.file(`${file}-wal`).size)
    }
    // The file keeps its length when the log starts over: what bounds it is the longest single write.
    const largestWrite = 2 * 400 * 500 * 5
    expect(longest).toBeLessThan(LIMIT * 4 + largestWrite)
    expect(await plain(store, '/n')).toBe(String(writes))
    await store.swept()
    await store.close()
    expect(integrityProblems(file)).toEqual([])
  }, 120_000)
})
