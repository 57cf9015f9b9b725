import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Parameter, Statements } from '../../../../src/store/postgres/connection/lane.ts'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import { print } from '../../../../src/tree/json/print.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { valueInRows } from '../../../support/postgres/rows-of-tree.ts'
import { withMembers } from '../../../support/postgres/with-members.ts'
import { put, strictObserver } from '../../../support/store.ts'

const WALK = 'WITH RECURSIVE step'

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'what writes know of the tree', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
  })
  afterAll(() => database.close())

  /** A store, and how often it has looked for slots. */
  const open = async (name: string, inlineLength = 30) => {
    const walks = { count: 0 }
    const use = <T>(work: (statements: Statements) => Promise<T>) =>
      database.lanes.use((lane) =>
        work({
          query: (text: string, parameters: readonly Parameter[] = []) => {
            if (text.startsWith(WALK)) walks.count++
            return lane.query(text, parameters)
          },
        }),
      )
    const lanes = withMembers(database.lanes, { use })
    const store = await PostgresStore.open(withMembers(database, { lanes }), name, { inlineLength }, strictObserver)
    return { store, walks }
  }
  const stored = async (store: PostgresStore) => {
    const value = await valueInRows(database.lanes, store.tree)
    return value === undefined ? undefined : JSON.parse(print(value, 'plain'))
  }

  test('the next write to the same place does not look for it again', async () => {
    const { store, walks } = await open('same')
    await using _ = store
    await put(store, '/a/b', 1)
    await put(store, '/a/c', 'x'.repeat(40))
    walks.count = 0
    await put(store, '/a/b', 2)
    await put(store, '/a/b', null)
    await put(store, '/a/b', 3)
    expect(walks.count).toBe(0)
    expect(await stored(store)).toEqual({ a: { b: 3, c: 'x'.repeat(40) } })
    await put(store, '/a/d', 3)
    expect(walks.count).toBe(1)
  })

  test('what another process has written is no longer known', async () => {
    const { store } = await open('other')
    await using _ = store
    const { store: other } = await open('other')
    await using __ = other
    const caughtUp = async () => {
      while (store.position().seq < other.position().seq) await store.fresh(true)
    }
    await put(store, '/a/b', 1)
    await put(other, '/a/b', { c: 'x'.repeat(40) })
    await caughtUp()
    await put(store, '/a/b/d', 2)
    expect(await stored(store)).toEqual({ a: { b: { c: 'x'.repeat(40), d: 2 } } })
    await put(other, '/a/b/c', null)
    await caughtUp()
    await put(store, '/a/b/d', null)
    expect(await stored(store)).toBeUndefined()
  })

  test('places that were forgotten because of others are looked for', async () => {
    const { store, walks } = await open('many', 0)
    await using _ = store
    const all = (value: unknown) => Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, value]))
    await put(store, '/a', 1)
    await put(store, '/list', all(1))
    await put(store, '/other', all(2))
    walks.count = 0
    await put(store, '/a', null)
    expect(walks.count).toBeGreaterThan(0)
    await put(store, '/list/k7', null)
    await put(store, '/list/k8', { deep: true })
    await put(store, '/other', all('x'.repeat(400)))
    await put(store, '/list/k8/deep', null)
    expect(await stored(store)).toEqual({
      list: { ...all(1), k7: undefined, k8: undefined },
      other: all('x'.repeat(400)),
    })
  })
})
