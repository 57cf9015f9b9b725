import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { WHOLE } from '../../../src/store/rows/indexes/scan-range.ts'
import { connectReader } from '../../../src/store/sqlite/file/connection.ts'
import { RangeScanner, scanOf } from '../../../src/store/sqlite/query/range-scan.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { TreeReader } from '../../../src/store/sqlite/tree/tree-reader.ts'
import { patch, strictObserver } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** Most text that one step of a read may take, in UTF-16 code units. */
const MOST_TEXT = 2.2 * 1024 * 1024
/** The same for nodes that lack what they should know of their children. */
const MOST_OF_OLD = 4.2 * 1024 * 1024
/** The trait that nodes of earlier versions lack, and those that it vouches for. */
const LATER_TRAITS = 16 | 32 | 64
const CHILDREN = 10_000
const FIRST = 20

test.each<[what: string, first: number, others: number, isOld: boolean]>([
  ['texts that are not long behind short ones, written by an earlier version,', 1, 8000, true],
  ['texts that are not long behind short ones', 1, 8000, false],
  ['texts that are just not short behind short ones', 1, 1100, false],
  ['short texts behind shorter ones', 1, 1000, false],
  ['texts that are just not tiny behind shorter ones', 1, 300, false],
  ['tiny texts', 1, 200, false],
  ['short texts behind longer ones', 8000, 1, false],
])('%s are read in bounded steps', async (_, first, others, isOld) => {
  await using dir = await tempDir()
  const file = dir.file('tree')
  await using store = new SqliteStore(file, {}, strictObserver)
  for (let from = 0; from < CHILDREN; from += 500) {
    const members = Array.from({ length: 500 }, (__, index): [string, string] => {
      const number = from + index
      return [`k${String(number).padStart(5, '0')}`, 'x'.repeat(number < FIRST ? first : others)]
    })
    await patch(store, '/list', Object.fromEntries(members))
  }
  if (isOld) {
    using client = new Database(file)
    client.run(`UPDATE interior SET traits = traits & ~${LATER_TRAITS}`)
  }
  const most = isOld ? MOST_OF_OLD : MOST_TEXT
  const connection = connectReader(file)
  const id = connection.client.query<{ id: number }, []>("SELECT id FROM interior WHERE key = 'list'").get()?.id ?? 0
  const reader = new TreeReader(connection)

  const budget = { left: Number.MAX_SAFE_INTEGER, hasPriorities: false }
  const steps: number[] = []
  for (let { left } = budget, text = reader.subtrees.text(id, budget), done = false; !done; left = budget.left) {
    done = text.next().done === true
    steps.push(left - budget.left)
  }
  const length = FIRST * first + (CHILDREN - FIRST) * others
  expect(steps.reduce((sum, step) => sum + step)).toBeGreaterThan(length)
  expect(Math.max(...steps)).toBeLessThan(most)

  const scan = scanOf(reader.subtrees.interior(id), undefined, WHOLE, false)
  const pages = [...new RangeScanner(connection).pages(scan)].map((rows) =>
    rows.reduce((sum, { value }) => sum + (value?.length ?? 0), 0),
  )
  expect(pages.reduce((sum, page) => sum + page)).toBeGreaterThan(length)
  expect(Math.max(...pages)).toBeLessThan(most)
  connection.client.close()
})
