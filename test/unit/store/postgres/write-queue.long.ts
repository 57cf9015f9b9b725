import '../../../support/long-lane.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { silentObserver } from '../../../../src/observer.ts'
import { TAKE_LOCK } from '../../../../src/store/postgres/commit/turns/writer-lock.ts'
import { ConnectionLost } from '../../../../src/store/postgres/connection/database-errors.ts'
import type { Lanes } from '../../../../src/store/postgres/connection/lanes.ts'
import { Freshness } from '../../../../src/store/postgres/follow/freshness.ts'
import { PostgresDatabase, type PostgresSettings } from '../../../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import type { Job, TreeStore } from '../../../../src/store/store.ts'
import { NodeText } from '../../../../src/tree/json/node-text.ts'
import { joined } from '../../../../src/tree/json/text-pieces.ts'
import { commitsBatch } from '../../../support/postgres/batch-statements.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { type Fault, faulty } from '../../../support/postgres/faulty-lanes.ts'
import { withMembers } from '../../../support/postgres/with-members.ts'
import { plain, put, putJob, strictObserver, wide } from '../../../support/store.ts'

const increment = { '.sv': { increment: 1 } }
/** A wait that a test does not outlive. */
const LONG = '600s'

/** Adds one to a number after it has read the whole tree, an interior node. */
const counted: Job = function* () {
  const text = yield { kind: 'node', path: [] }
  const { n } = JSON.parse(text instanceof NodeText ? joined(text.stored) : '{}')
  yield { kind: 'size', path: ['list'] }
  const path = ['n']
  return { result: undefined, change: { kind: 'put', path, writes: [{ kind: 'value', path, value: n + 1 }] } }
}

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'processes that write to one tree at once', () => {
  const schema = freshSchema()
  const connect = (settings: Partial<PostgresSettings> = {}) =>
    PostgresDatabase.open({ url: databaseUrl() ?? '', schema, ...settings })
  /** One that is closed at the end of a test. */
  const connectIn = async (test: AsyncDisposableStack, settings: Partial<PostgresSettings>) => {
    const database = await connect(settings)
    test.defer(() => database.close())
    return database
  }
  let one: PostgresDatabase
  let two: PostgresDatabase
  beforeAll(async () => {
    one = await connect()
    two = await connect()
  })
  afterAll(async () => {
    await one.close()
    await two.close()
  })

  const open = (database: PostgresDatabase, name: string, faults: Fault[] = [], observer = silentObserver) =>
    PostgresStore.open(faulty(database, faults), name, {}, observer)

  /** Has the lock of a tree. @returns gives it back */
  const lock = async ({ lanes }: PostgresDatabase, { tree }: PostgresStore): Promise<() => Promise<void>> => {
    const { lane, release } = await lanes.take()
    await lane.begin('read write')
    await lane.query(TAKE_LOCK, [tree, LONG, LONG])
    return async () => {
      await lane.rollback()
      release()
    }
  }
  /** Resolves when so many wait for the lock of a tree. */
  const queued = async ({ tree }: PostgresStore, count: number): Promise<void> => {
    const waiting =
      "SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory' AND objid = $1::int AND NOT granted " +
      "AND classid = 'log'::regclass"
    for (;;) {
      const [row] = await one.lanes.query<{ count: number }>(waiting, [tree])
      if (row?.count === count) return
      await new Promise(setImmediate)
    }
  }
  /** Each learns that the other writes. */
  const meet = async (...stores: readonly TreeStore[]): Promise<void> => {
    for (const store of stores) await put(store, '/n', 0)
    await Promise.all(stores.map((store) => store.fresh(true)))
  }
  const batches = async (store: PostgresStore): Promise<number> => {
    const [row] = await one.lanes.query<{ batch: number }>(
      'SELECT max(batch)::float8 AS batch FROM log WHERE tree = $1::int',
      [store.tree],
    )
    return row?.batch ?? 0
  }

  test('they take turns in the order in which they came, and what comes meanwhile joins the batch', async () => {
    await using left = await open(one, 'turns')
    await using right = await open(two, 'turns')
    await meet(left, right, left)
    const [before, { seq }] = [await batches(left), left.position()]
    const unlock = await lock(two, left)
    const first = [left.commit(putJob('/n', increment))]
    await queued(left, 1)
    const second = [right.commit(putJob('/n', increment))]
    await queued(left, 2)
    for (let more = 0; more < 4; more++) {
      first.push(left.commit(putJob('/n', increment)))
      second.push(right.commit(putJob('/n', increment)))
    }
    await unlock()
    const seqs = (await Promise.all([...first, ...second])).map(({ commit }) => (commit?.seq ?? 0) - seq)
    expect(seqs).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(await batches(left)).toBe(before + 2)
    expect(await plain(left)).toBe('{"n":10}')
  })

  test('one that has met nobody does not overtake those that wait', async () => {
    await using left = await open(one, 'overtaking')
    await put(left, '/n', 0)
    await using right = await open(two, 'overtaking')
    const unlock = await lock(two, left)
    const first = right.commit(putJob('/n', increment))
    await queued(left, 1)
    const second = left.commit(putJob('/n', increment))
    await queued(left, 2)
    await unlock()
    const seqs = (await Promise.all([first, second])).map(({ commit }) => commit?.seq)
    expect(seqs).toEqual([2, 3])
  })

  test('a lock that is never given back keeps nobody from writing', async () => {
    await using test = new AsyncDisposableStack()
    const left = test.use(await open(await connectIn(test, { statementMs: 400 }), 'kept'))
    await using right = await open(two, 'kept')
    await meet(left, right, left)
    const unlock = await lock(two, left)
    await put(left, '/n', increment)
    await left.run(async () => {})
    await put(left, '/n', increment)
    expect(await plain(left)).toBe('{"n":2}')
    await unlock()
  })

  const ended: readonly (readonly [name: string, job: Job])[] = [
    ['a short batch', putJob('/n', increment)],
    ['a batch of several statements', putJob('/big', wide(30_000, String))],
  ]
  test.each(ended)('%s whose connection the server ends in its turn is done once', async (name, job) => {
    const faults: Fault[] = []
    await using left = await open(one, name, faults)
    await using right = await open(two, name)
    await meet(left, right, left)
    const { seq } = left.position()
    faults.push(async (run) => {
      await two.lanes.query(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = $1::int " +
          "AND classid = 'log'::regclass",
        [left.tree],
      )
      return run()
    })
    const both = [left.commit(job), put(right, '/other', 1)]
    await Promise.all(both)
    expect(faults).toEqual([])
    await left.fresh(true)
    expect(left.position().seq).toBe(seq + 2)
  })

  test('a commit that is still under way when its answer is lost is done once', async () => {
    let isLost = false
    let isLate: Promise<void> | undefined
    const query: Lanes['query'] = async (text, parameters) => {
      if (isLost || !commitsBatch(text)) return await one.lanes.query(text, parameters)
      isLost = true
      const { lane, release } = await one.lanes.take()
      await lane.begin('read write')
      await lane.query(text, parameters)
      isLate = someWait()
        .then(() => lane.commit())
        .finally(release)
      throw new ConnectionLost('planned')
    }
    const someWait = async () => {
      const waiting = 'SELECT 1 AS one FROM pg_locks WHERE NOT granted'
      while ((await one.lanes.query(waiting, [])).length === 0) await new Promise(setImmediate)
    }
    const lanes = withMembers(one.lanes, { query, short: query })
    const lossy = withMembers(one, { lanes, freshness: new Freshness(lanes) })
    await using store = await PostgresStore.open(lossy, 'under way', {}, silentObserver)
    await put(store, '/n', increment)
    await isLate
    expect(await plain(store)).toBe('{"n":1}')
    expect(await batches(store)).toBe(1)
  })

  const planned: readonly (readonly Fault[])[] = [
    ['lost before'],
    ['lost after'],
    ['lost, then late'],
    ['timeout'],
    ['deadlock'],
    ['foreign'],
    ['lost after', 'lost, then late', 'deadlock', 'lost before', 'foreign', 'timeout', 'lost after'],
  ]
  test.each(planned.map((faults) => [faults.join(', '), faults] as const))(
    'in its turn, %s: each write is done once',
    async (name, plan) => {
      const faults: Fault[] = []
      await using left = await open(one, `turn ${name}`, faults, strictObserver)
      await using right = await open(two, `turn ${name}`)
      await meet(left, right, left)
      faults.push(...plan)
      let done = 0
      for (let round = 0; round < 5; round++) {
        const [{ result }] = await Promise.all([
          left.run(async () => ({ result: round })),
          ...[left, right, left].map((store) => store.commit(putJob('/n', increment))),
          left.commit(putJob(`/made/${round}`, wide(2000, String))),
        ])
        done += 3
        expect(result).toBe(round)
        expect(await plain(right, '/n')).toBe(String(done))
      }
      expect(faults).toEqual([])
    },
  )

  test.each([1, 2, 8])(
    'with %i connections each, jobs that read interior nodes see each other',
    async (connections) => {
      await using test = new AsyncDisposableStack()
      const [own, other] = [await connectIn(test, { connections }), await connectIn(test, { connections })]
      const name = `interior ${connections}`
      const left = test.use(await open(own, name, [], strictObserver))
      const right = test.use(await open(other, name, [], strictObserver))
      await put(left, '/', { n: 0, list: wide(200, String) })
      await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const store = index % 2 === 0 ? left : right
          await store.commit(counted)
          await plain(store, '/n')
        }),
      )
      expect(await plain(left, '/n')).toBe('40')
      await right.fresh(true)
      expect(right.position()).toEqual(left.position())
    },
  )
})
