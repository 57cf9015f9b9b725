import { expect, test } from 'bun:test'
import { readdirSync, readlinkSync } from 'node:fs'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { parsePath } from '../../../src/tree/path.ts'
import { TRUSTED } from '../../../src/tree/read-program.ts'
import { plain, put, strictObserver, unlimited, wide } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'

const LONG_READS = 8

/** How often this process has a file open. */
function timesOpen(file: string): number {
  const links = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`)
    } catch {
      return 'the folder that was looked at'
    }
  })
  return links.filter((link) => link === file).length
}

test.skipIf(process.platform !== 'linux')('long reads at a time leave few connections behind', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree')
  // SQLite keeps the descriptor of the file itself for the next connection; that of the log it closes.
  const log = `${file}-wal`
  await using store = new SqliteStore(file, {}, strictObserver)
  await put(
    store,
    '/list',
    wide(20_000, (index) => ({ text: `of ${index}` })),
  )
  await plain(store)
  const before = timesOpen(log)
  const reads: { readonly first: string; readonly rest: AsyncGenerator<string, void> }[] = []
  for (let count = 0; count < LONG_READS; count++) {
    await put(store, '/count', count)
    const rest = store.export(parsePath('/'))
    reads.push({ first: (await rest.next()).value ?? '', rest })
  }
  expect(timesOpen(log)).toBeGreaterThan(before + LONG_READS / 2)
  for (const [count, { first, rest }] of reads.entries()) {
    // Each sees the moment it began at, whatever became of the others.
    let text = first
    for await (const piece of rest) text += piece
    expect(JSON.parse(text)).toMatchObject({ count, list: { k19999: { text: 'of 19999' } } })
  }
  await put(store, '/count', 'over')
  expect(timesOpen(log)).toBeLessThanOrEqual(before + 2)
  expect(await plain(store, '/count')).toBe('"over"')
})

test('a long read that a listener begins keeps its snapshot when the log is shortened in the same turn', async () => {
  await using directory = await tempDir()
  await using store = new SqliteStore(
    directory.file('tree'),
    { inlineLength: 0, cacheLength: 0, walLimitBytes: 1 },
    strictObserver,
  )
  const size = 20_000
  const reads: Promise<number>[] = []
  await put(
    store,
    '/list',
    wide(size, (index) => index),
  )
  const stop = store.follow({
    commits: () => {
      for (let count = 0; count < 3; count++) {
        reads.push(Promise.resolve(store.node(['list'], unlimited, TRUSTED)).then((node) => node?.plain.length ?? 0))
      }
    },
  })
  for (let round = 0; round < 8; round++) await put(store, '/round', round)
  stop()
  const lengths = new Set(await Promise.all(reads))
  expect(lengths.size).toBe(1)
  expect(await plain(store, '/round')).toBe('7')
})
