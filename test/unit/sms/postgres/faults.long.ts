import '../../../support/long-lane.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { MessageRecord } from '../../../../src/sms/model/message.ts'
import type { Report, State } from '../../../../src/sms/model/report.ts'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { type Fault, faulty } from '../../../support/postgres/faulty-lanes.ts'
import { deliver, leaseOf, openMessages } from '../../../support/postgres/messages.ts'

const RECEIVED = 1_700_000_000_000

const reportOf = (mobile: string, state: Exclude<State, 0>): Report => ({
  message: { rrid: 'r', mobile },
  state,
  code: `CODE${state}`,
  receivedAt: RECEIVED,
})

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'faults of PostgreSQL', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
  })
  afterAll(() => database.close())

  const cases: readonly (readonly Fault[])[] = [
    ['lost before'],
    ['lost after'],
    ['lost, then late'],
    ['timeout'],
    ['deadlock'],
    ['foreign'],
    ['foreign', 'lost after'],
    ['lost before', 'foreign', 'lost, then late'],
  ]
  test.each(cases.map((planned) => [planned.join(', '), planned] as const))(
    '%s: each call has its effect once, and tells it',
    async (name, planned) => {
      const faults: Fault[] = []
      await using opened = await openMessages(faulty(database, faults), name)
      const { store } = opened
      const provoked = async <T>(work: () => Promise<T>): Promise<T> => {
        faults.push(...planned)
        const result = await work()
        expect(faults).toEqual([])
        return result
      }
      expect(await provoked(() => store.record({ rrid: 'r', mobiles: ['1', '2', '3'] }))).toMatchObject({ isNew: true })
      const reports = [reportOf('1', 2), reportOf('2', 1), reportOf('1', 3)]
      const outcome = await provoked(() => store.report(reports))
      expect(outcome).toEqual({ accepted: 2, ignored: 1, changed: new Set(['r']) })
      const record: MessageRecord = {
        rrid: 'imported',
        mobile: '4',
        status: 3,
        deliveryStatus: 'UNDELIV',
        submittedAt: RECEIVED,
        receivedAt: Date.now(),
      }
      expect(await provoked(() => store.import([record]))).toEqual({ added: 1, known: 0, changed: 0 })
      const first = await provoked(() => leaseOf(store, 1))
      expect(first.mobiles).toEqual(['1'])
      await provoked(() => store.acknowledge(first.ranges, 1))
      const second = await provoked(() => leaseOf(store))
      expect(second.mobiles).toEqual(['4'])
      store.release(second.ranges)
      expect((await leaseOf(store)).mobiles).toEqual(['4'])
      expect(await store.counts()).toEqual({
        notSent: 1,
        sending: 1,
        delivered: 1,
        failed: 1,
        reportsAccepted: 2,
        reportsRepeated: 0,
        reportsContradicting: 1,
        reportsLate: 0,
        reportsUnknown: 0,
        statusesReturned: 1,
      })
      expect((await store.export(undefined, 10)).records).toHaveLength(4)
    },
  )

  test('a database that stays away refuses with nothing done', async () => {
    const faults: Fault[] = []
    await using opened = await openMessages(faulty(database, faults), 'away', {
      waitMs: 100,
      observer: { storeFailed() {}, storeTroubled() {}, requestFailed() {} },
    })
    const { store } = opened
    const away = Array.from({ length: 20 }, (): Fault => 'lost before')
    await deliver(store, ['1'])
    const { ranges } = await leaseOf(store)
    faults.push(...away)
    await expect(store.record({ rrid: 'r', mobiles: ['2'] })).rejects.toMatchObject({ code: 'unavailable' })
    await expect(store.acknowledge(ranges, 1)).rejects.toMatchObject({ code: 'unavailable' })
    faults.length = 0
    expect(await store.counts()).toMatchObject({ notSent: 0, delivered: 1, statusesReturned: 0 })
    // The lease goes on.
    expect((await leaseOf(store)).mobiles).toEqual([])
    await store.acknowledge(ranges, 1)
    expect((await store.counts()).statusesReturned).toBe(1)
  })

  test('a release that fails is tried again, and told', async () => {
    const told: unknown[] = []
    await using opened = await openMessages(database, 'release', { onError: (error) => told.push(error) })
    const { store, tree } = opened
    await deliver(store, ['1'])
    const { ranges } = await leaseOf(store)
    const locked = Promise.withResolvers<void>()
    const freed = Promise.withResolvers<void>()
    // What deletes the row waits for this transaction, and is ended by it.
    const ender = database.lanes.transaction(async (statements) => {
      await statements.query('SELECT FROM sms_lease WHERE tree = $1::int FOR UPDATE', [tree.tree])
      locked.resolve()
      while (told.length === 0) {
        await statements.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() ' +
            "AND wait_event_type = 'Lock' AND query LIKE 'DELETE FROM sms_lease%'",
        )
      }
      freed.resolve()
    })
    await locked.promise
    store.release(ranges)
    await freed.promise
    await ender
    expect(told).toMatchObject([{ code: 'unavailable' }])
    const rows = () => database.lanes.query('SELECT FROM sms_lease WHERE tree = $1::int', [tree.tree])
    while ((await rows()).length > 0) {}
    expect((await leaseOf(store)).mobiles).toEqual(['1'])
  })
})
