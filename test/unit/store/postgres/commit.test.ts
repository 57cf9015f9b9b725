import { describe, expect, test } from 'bun:test'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import { print } from '../../../../src/tree/json/print.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { valueInRows } from '../../../support/postgres/rows-of-tree.ts'
import { patch, put, remove, strictObserver, wide } from '../../../support/store.ts'

const LONG = 'long '.repeat(1000)

describe.skipIf(whyNoPostgres !== undefined)(`commits on PostgreSQL ${whyNoPostgres ?? ''}`, () => {
  test('basic', async () => {
    const database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
    const store = await PostgresStore.open(database, 'app', { inlineLength: 30 }, strictObserver, () => ({ close: async () => {} }) as never)
    const stored = async () => {
      const value = await valueInRows(database.lanes, store.tree)
      return value === undefined ? undefined : print(value, 'export')
    }
    await put(store, '/', { a: 1, b: { c: 2, d: 3 }, long: { x: LONG, y: 1 } })
    await patch(store, '/', { a: null, 'b/c': 5, 'b/.priority': 7, e: { f: 1 }, 'long/x': null })
    expect(await stored()).toBe('{"b":{".priority":7,"c":5,"d":3},"e":{"f":1},"long":{"y":1}}')
    await Promise.all(Array.from({ length: 50 }, () => put(store, '/n', { '.sv': { increment: 2 } })))
    await Promise.all([put(store, '/big', wide(300, (i) => ({ i, t: LONG.slice(0, 100) }))), remove(store, '/b'), put(store, '/big/k3', 1), put(store, '/big', 5)])
    expect(await stored()).toBe('{"big":5,"e":{"f":1},"long":{"y":1},"n":100}')
    await store.swept()
    for (const table of ['interior', 'closure', 'detached', 'node']) console.log(table, (await database.lanes.query(`SELECT count(*)::int AS c FROM ${table}`))[0])
    await store.check()
    await store.close()
    await database.close()
  })
})
