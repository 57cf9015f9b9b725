import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseIndexes } from '../../../../src/query/index-declarations.ts'
import type { IndexDefinition } from '../../../../src/store/postgres/indexes/definition.ts'
import { DefinitionTable } from '../../../../src/store/postgres/indexes/definition-table.ts'
import { indexProblems } from '../../../../src/store/postgres/indexes/inspect.ts'
import { entryBytes, TEXT_LIMIT } from '../../../../src/store/postgres/indexes/stored-value.ts'
import { indexName, KEY_INDEX } from '../../../../src/store/rows/indexes/index-name.ts'
import { indexValue } from '../../../../src/store/rows/indexes/index-value.ts'
import { NO_VALUE } from '../../../../src/tree/order.ts'
import { runsInLanes } from '../../../support/lane.ts'
import { whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { LIST, ListTree, type ListWrite } from './list-tree.ts'

const testPostgres = test.skipIf(whyNoPostgres !== undefined)
const NAMES = [indexName([]), indexName(['a']), indexName(['a', 'b']), indexName(['.priority']), KEY_INDEX]

const key = fc.oneof(
  fc.integer({ min: 0, max: 30 }).map((index) => `k${String(index).padStart(2, '0')}`),
  fc.integer({ min: -2, max: 12 }).map(String),
)
const leaf = fc.constantFrom<unknown>(
  1,
  2,
  -3.5,
  0,
  true,
  false,
  'x',
  'long '.repeat(120),
  'é'.repeat(300),
  {
    b: 1,
  },
  { b: 'long '.repeat(130), c: 2 },
)
const child = fc.oneof(
  leaf,
  fc.record({ a: leaf, c: leaf }),
  fc.constant({ c: 1 }),
  fc.constant({ '.value': 3, '.priority': 2 }),
  fc.constant({ c: 'no value at a' }),
)
const write: fc.Arbitrary<ListWrite> = fc.oneof(
  fc.record({ path: key.map((each) => [each]), json: child, split: fc.boolean() }),
  fc.record({ path: key.map((each) => [each]), json: fc.constant(null) }),
  fc.record({ path: key.map((each) => [each, 'a']), json: fc.oneof(leaf, fc.constant(null)) }),
  fc.record({ path: key.map((each) => [each, 'c']), json: fc.oneof(fc.constant(4), fc.constant(null)) }),
)
const batch = fc.array(write, { minLength: 1, maxLength: 4 })

/** What differs between the rows of an index and the children of the list, whose entries it computes by itself. */
async function differences(tree: ListTree, definition: IndexDefinition): Promise<string[]> {
  const rows = await tree.database.lanes.query<{ kind: number; value: Uint8Array; key: string; text: string | null }>(
    'SELECT kind::int AS kind, value, key, text FROM index_entry WHERE tree = 1 AND index_id = $1::bigint',
    [definition.id],
  )
  const found = new Set(
    rows.map((row) => `${row.kind} ${Buffer.from(row.value).toString('hex')} ${row.key} ${row.text}`),
  )
  const { path, builtTo, covering } = definition
  const children = tree
    .children()
    .filter(([each]) => (builtTo === null || each <= builtTo) && (path !== undefined || each.startsWith('\u0001')))
    .map(([each, slot]) => {
      const plain = Number(each.slice(1)) - 2 ** 31
      const value = path === undefined ? { kind: 4, value: String(plain) } : tree.sortValueBelow(slot, path)
      const entry = indexValue(value, TEXT_LIMIT)
      const text = covering && value.kind !== 0 && (slot.value?.length ?? 300) <= 256 ? slot.value : null
      const hex = Buffer.from(entryBytes(entry)).toString('hex')
      return { isValued: value.kind !== NO_VALUE.kind, isCut: entry.cut, line: `${entry.kind} ${hex} ${each} ${text}` }
    })
  const problems = children
    .filter(({ isValued }, at) => isValued || children[at - 1]?.isValued || children[at + 1]?.isValued)
    .filter(({ line }) => !found.has(line))
    .map(({ line }) => `lacks ${line}`)
  const allowed = new Set(children.map(({ line }) => line))
  problems.push(...[...found].filter((line) => !allowed.has(line)).map((line) => `has ${line}`))
  if (children.some(({ isCut }) => isCut) && !definition.hasCut) problems.push('does not tell of cut texts')
  return problems.map((problem) => `${definition.name} up to ${builtTo}: ${problem}`)
}

async function expectRight(tree: ListTree): Promise<void> {
  const definitions = await new DefinitionTable(tree.database.lanes, tree.tree).all()
  const problems = await Promise.all(definitions.map((definition) => differences(tree, definition)))
  expect(problems.flat()).toEqual([])
  const found = await tree.database.lanes.snapshot((statements) =>
    Array.fromAsync(indexProblems(statements, tree.tree)),
  )
  expect(found).toEqual([])
}

testPostgres(
  `entries are right after every step of a build, whatever is written between them ${whyNoPostgres ?? ''}`,
  async () => {
    const run = fc.asyncProperty(
      fc.array(batch, { minLength: 3, maxLength: 8 }),
      fc.array(batch, { minLength: 4, maxLength: 30 }),
      fc.integer({ min: 1, max: 6 }),
      fc.boolean(),
      async (before, between, rows, covering) => {
        await using tree = await ListTree.open({ buildSize: { rows, bytes: 2000 } })
        for (const writes of before) await tree.write(...writes)
        if (covering) await tree.manager.declare(parseIndexes({ '/list': [{ child: 'a', covering: true }] }))
        const wanted = Promise.all(NAMES.map((name) => tree.manager.want(LIST, name)))
        const left = [...between]
        const written: Promise<void>[] = []
        tree.afterBatch = () => expectRight(tree)
        // Steps and writes alternate: a write that is sent before a step begins comes after it.
        tree.beforeStep = () => {
          const writes = left.shift()
          if (writes !== undefined) written.push(tree.write(...writes))
        }
        await wanted
        for (const writes of left) written.push(tree.write(...writes))
        await Promise.all(written)
        expect(tree.failures).toEqual([])
        const all = await new DefinitionTable(tree.database.lanes, 1).all()
        expect(all.map(({ builtTo }) => builtTo)).toEqual(NAMES.map(() => null))
      },
    )
    await fc.assert(run, { numRuns: runsInLanes(4, 25) })
  },
)
