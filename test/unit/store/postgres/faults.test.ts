import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Observer, silentObserver } from '../../../../src/observer.ts'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { type Fault, faulty } from '../../../support/postgres/faulty-lanes.ts'
import { plain, put, putJob, strictObserver, wide } from '../../../support/store.ts'

const increment = { '.sv': { increment: 1 } }

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'faults of PostgreSQL', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
  })
  afterAll(() => database.close())

  const open = (name: string, faults: Fault[], waitMs = 5000, observer: Observer = silentObserver) =>
    PostgresStore.open(faulty(database, faults), name, { waitMs }, observer)

  const cases: readonly (readonly Fault[])[] = [
    ['lost before'],
    ['lost after'],
    ['lost, then late'],
    ['timeout'],
    ['deadlock'],
    ['foreign'],
    ['foreign', 'lost after'],
    ['lost after', 'foreign', 'lost before', 'lost, then late', 'deadlock', 'foreign', 'lost after', 'lost before'],
  ]
  test.each(cases.map((faults) => [faults.join(', '), faults] as const))(
    '%s: each write is done once, and told in order',
    async (name, planned) => {
      const faults: Fault[] = []
      await using store = await open(name, faults, 5000, strictObserver)
      await put(store, '/', { n: 0, big: wide(1000, (index) => index) })
      const told: number[] = []
      store.follow({
        commits: (commits) => {
          told.push(...commits.map(({ seq }) => seq))
        },
      })
      faults.push(...planned)
      let done = 0
      for (let round = 0; round < 10; round++) {
        const commits = await Promise.all(
          Array.from({ length: 5 }, (_, index) =>
            index === 2
              ? store.commit(putJob(`/made/${round}`, wide(500, String)))
              : store.commit(putJob('/n', increment)),
          ),
        )
        done += 4
        const numbers = commits.map(({ commit }) => commit?.seq ?? 0)
        expect(numbers).toEqual(numbers.toSorted((left, right) => left - right))
        expect(await plain(store, '/n')).toBe(String(done))
      }
      expect(faults).toEqual([])
      const { seq } = store.position()
      expect(told).toEqual(Array.from({ length: seq - 1 }, (_, index) => index + 2))
      expect(seq).toBe(1 + 50 + planned.filter((fault) => fault === 'foreign').length)
      expect((await store.changesAfter({ epoch: store.position().epoch, seq: 0 }, 1000))?.length).toBe(seq)
    },
  )

  test.each(cases.map((faults) => [faults.join(', '), faults] as const))(
    '%s: other work has its effect once, tells it, and takes no id twice',
    async (name, planned) => {
      const faults: Fault[] = []
      await using store = await open(`work ${name}`, faults, 5000, strictObserver)
      const count = () =>
        store.run(async ({ statements, tree, takeIds }) => {
          const rows = await statements.query<{ value: number }>(
            "INSERT INTO sms_count AS c (tree, name, value) VALUES ($1::int, 'n', 1) " +
              'ON CONFLICT (tree, name) DO UPDATE SET value = c.value + 1 RETURNING value::float8 AS value',
            [tree],
          )
          return { value: rows[0]?.value, id: takeIds(2) }
        })
      const { id } = await count()
      faults.push(...planned)
      const told: unknown[] = []
      for (let round = 1; round <= 5; round++) told.push(await count())
      expect(faults).toEqual([])
      expect(told).toEqual([1, 2, 3, 4, 5].map((round) => ({ value: round + 1, id: id + 2 * round })))
    },
  )

  test('a database that stays away refuses with nothing done, and is used again when it is back', async () => {
    const faults: Fault[] = []
    await using store = await open('away', faults, 100)
    await put(store, '/n', 0)
    faults.push(...Array.from({ length: 20 }, (): Fault => 'lost before'))
    await expect(put(store, '/n', increment)).rejects.toMatchObject({ code: 'unavailable' })
    faults.length = 0
    await put(store, '/n', increment)
    expect(await plain(store)).toBe('{"n":1}')
  })

  test('a batch that took effect after it was given up is learned of', async () => {
    const faults: Fault[] = []
    await using store = await open('given up', faults, 0)
    await put(store, '/n', 0)
    faults.push('lost after')
    await expect(put(store, '/n', 5)).rejects.toMatchObject({ code: 'unavailable' })
    const told: number[] = []
    store.follow({
      commits: (commits) => {
        told.push(...commits.map(({ seq }) => seq))
      },
    })
    await put(store, '/n', increment)
    expect(await plain(store)).toBe('{"n":6}')
    expect(told).toEqual([2, 3])
  })

  test('connections that the server ends amid writes lose nothing', async () => {
    await using store = await open('ended', [])
    await put(store, '/n', 0)
    let done = 0
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let index = 0; index < 40; index++) {
        await put(store, writer === 0 ? `/big/${index}` : '/n', writer === 0 ? wide(300, String) : increment)
        if (writer > 0) done++
      }
    })
    const ender = (async () => {
      const other = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
      for (let round = 0; round < 8; round++) {
        await other.lanes.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
        )
        await Bun.sleep(20)
      }
      await other.close()
    })()
    await Promise.all([...writers, ender])
    // Those that were idle are found to be lost when they are used.
    await store.commit(putJob('/last', 1))
    expect(await plain(store, '/n')).toBe(String(done))
    expect(done).toBe(280)
  })
})
