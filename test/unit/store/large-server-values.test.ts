import { Database as Client } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { openDatabase } from '../../../src/embedded.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { runsInLanes } from '../../support/lane.ts'
import { strictObserver, turns, watch, wide } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { integrityProblems } from './integrity.ts'

const LARGE = 20_000
const increment = { '.sv': { increment: 1 } }
const timestamp = { '.sv': 'timestamp' }

test('small writes do not wait for a large value with server values, which has one time', async () => {
  await using directory = await tempDir()
  const file = directory.file('tree')
  await using database = openDatabase({ file })
  const told: unknown[] = []
  const listening = (async () => {
    for await (const { path, data } of database.watch('/list')) {
      told.push(path === '/' ? data : path)
      if (told.length === 2) return
    }
  })()
  while (told.length === 0) await turns(1)
  const value = { first: timestamp, ...wide(LARGE, () => ({ text: 'some text', count: increment })), last: timestamp }
  const writing = watch(database.put('/list', value))
  using reader = new Client(file, { readonly: true })
  const listed = reader.prepare<{ listed: number }, []>('SELECT count(*) AS listed FROM detached')
  while (listed.get()?.listed === 0 && writing.state === 'waiting') await turns(1)
  expect(writing.state).toBe('waiting')
  await database.put('/small', 1)
  expect(writing.state).toBe('waiting')
  expect(await database.get('/list/k7')).toBeNull()
  while (writing.state === 'waiting') await turns(1)
  await listening
  const stored = await database.get<{ first: number; last: number; k7: unknown }>('/list')
  expect(stored?.first).toBe(stored?.last as number)
  expect(stored?.first).toBeGreaterThan(1e12)
  expect(stored?.k7).toEqual({ text: 'some text', count: 1 })
  expect(told[1]).toEqual(stored)
})

test('every increment counts once, however large writes and small ones meet', async () => {
  const counters = 5
  const step = fc.record({
    size: fc.constantFrom<'put' | 'patch' | 'small'>('put', 'patch', 'small'),
    counter: fc.nat(counters - 1),
    pause: fc.nat(6),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      const database = openDatabase({ file })
      const members = { ...wide(counters, () => increment), ...wide(4200, () => 0), ...wide(counters, () => increment) }
      const expected = new Array<number>(counters).fill(0)
      const writes: Promise<unknown>[] = []
      for (const { size, counter, pause } of steps) {
        if (size === 'small') writes.push(database.put(`/list/k${counter}`, increment))
        else if (size === 'put') writes.push(database.put('/list', members))
        else writes.push(database.patch('/', { list: members, other: timestamp }))
        for (let each = 0; each < counters; each++) {
          if (size !== 'small' || each === counter) expected[each] = (expected[each] ?? 0) + 1
        }
        await turns(pause)
      }
      await Promise.all(writes)
      for (const [counter, total] of expected.entries())
        expect(await database.get(`/list/k${counter}`)).toBe(total === 0 ? null : total)
      await database.close()
      await using store = new SqliteStore(file, {}, strictObserver)
      await store.swept()
      await store.close()
      expect(integrityProblems(file)).toEqual([])
    }),
    { numRuns: runsInLanes(2, 8) },
  )
})
