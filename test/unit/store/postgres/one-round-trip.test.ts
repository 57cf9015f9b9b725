import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { makeQuery } from '../../../../src/query/query.ts'
import type { Parameter, Statements } from '../../../../src/store/postgres/connection/lane.ts'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import { type AuthorizeRead, TRUSTED } from '../../../../src/tree/read-program.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { withMembers } from '../../../support/postgres/with-members.ts'
import { put, strictObserver, unlimited, wide } from '../../../support/store.ts'

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'round trips of queries', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
  })
  afterAll(() => database.close())

  /** A store whose statements on snapshots are noted when they are sent and answered. */
  const open = async (name: string) => {
    const events: ('sent' | 'answered')[] = []
    const snapshot = <T>(work: (statements: Statements) => Promise<T>) =>
      database.lanes.snapshot((statements) =>
        work({
          query: async <R extends object>(text: string, parameters: readonly Parameter[] = []) => {
            events.push('sent')
            const rows = await statements.query<R>(text, parameters)
            events.push('answered')
            return rows
          },
        }),
      )
    const lanes = withMembers(database.lanes, { snapshot })
    const options = { inlineLength: 30, cacheLength: 0, shortList: 0 }
    const store = await PostgresStore.open(withMembers(database, { lanes }), name, options, strictObserver)
    return { store, events }
  }
  const list = (count: number) => wide(count, (index) => ({ height: (index * 7) % count, name: `n${index}` }))
  const byHeight = (startAt: number) => makeQuery({ orderBy: 'height', startAt, limitToFirst: 2 }, 'firebase')
  const TOGETHER = ['sent', 'sent', 'answered', 'answered']

  test.each([
    ['by a child', byHeight],
    ['by key', (start: number) => makeQuery({ orderBy: '$key', startAt: `k${start}`, limitToFirst: 2 }, 'firebase')],
  ] as const)('%s take one when the list was asked for before, whatever their bounds', async (name, query) => {
    const { store, events } = await open(name)
    await using _ = store
    await put(store, '/list', list(100))
    const ask = async (start: number, authorize: AuthorizeRead | undefined = TRUSTED) => {
      events.length = 0
      return (await store.query(['list'], query(start), unlimited, authorize))?.plain
    }
    await ask(3)
    const answers = [await ask(10)]
    expect(events).toEqual(TOGETHER as typeof events)
    answers.push(await ask(20, () => undefined))
    expect(events).toEqual(TOGETHER as typeof events)
    const { store: other } = await open(name)
    await using __ = other
    expect([await other.query(['list'], query(10), unlimited, TRUSTED)].map((text) => text?.plain)).toEqual([
      answers[0],
    ])
    expect(answers[1]).toBe((await other.query(['list'], query(20), unlimited, TRUSTED))?.plain)
  })

  test('answers are of the list that is there now', async () => {
    const { store } = await open('replaced')
    await using _ = store
    const ask = async () => (await store.query(['list'], byHeight(0), unlimited, TRUSTED))?.plain
    await put(store, '/list', list(100))
    await ask()
    await put(store, '/list', {
      a: { height: 5, name: 'a long name of a child' },
      b: { height: 4, name: 'another one' },
    })
    expect(await ask()).toBe('{"b":{"height":4,"name":"another one"},"a":{"height":5,"name":"a long name of a child"}}')
    await put(store, '/list', 'text')
    expect(await ask()).toBeUndefined()
    await put(store, '/list', null)
    expect(await ask()).toBeUndefined()
    await put(store, '/list', list(50))
    expect(JSON.parse((await ask()) ?? '')).toMatchObject({ k0: { height: 0 } })
  })

  test('a read that its rules refuse, or that they judge by the tree, reads the list afterwards', async () => {
    const { store, events } = await open('refused')
    await using _ = store
    await put(store, '/', { list: list(100), open: true })
    await store.query(['list'], byHeight(0), unlimited, TRUSTED)
    events.length = 0
    // biome-ignore lint/correctness/useYield: it reads nothing
    const refused = store.query(['list'], byHeight(0), unlimited, function* () {
      throw new Error('refused')
    })
    await expect(Promise.resolve(refused)).rejects.toThrow('refused')
    expect(events).toEqual(['sent', 'answered'])
    events.length = 0
    await store.query(['list'], byHeight(0), unlimited, function* () {
      if ((yield { kind: 'leaf', path: ['open'] }) !== true) throw new Error('refused')
    })
    expect(events).toEqual(['sent', 'answered', 'sent', 'answered'])
  })
})
