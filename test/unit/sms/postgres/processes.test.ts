import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { deliver, leaseOf, openMessages } from '../../../support/postgres/messages.ts'

/** Longer than a test: the row of a process changes by the test alone. */
const heartbeatMs = 60 * 60 * 1000

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'two processes on PostgreSQL', () => {
  const schema = freshSchema()
  const open = () => PostgresDatabase.open({ url: databaseUrl() ?? '', schema, heartbeatMs })
  let one: PostgresDatabase
  let two: PostgresDatabase
  beforeAll(async () => {
    one = await open()
    two = await open()
  })
  afterAll(async () => {
    await one.close()
    await two.close()
  })

  /** Makes another process of the first one: one that lives until the test ends it. */
  async function mortal() {
    const database = await open()
    return { database, [Symbol.asyncDispose]: () => database.close() }
  }

  test('what one process has leased, another one does not get before it is released', async () => {
    await using first = await openMessages(one, 'leased')
    await using second = await openMessages(two, 'leased')
    await deliver(first.store, ['1', '2', '3'])
    const here = await leaseOf(first.store, 2)
    expect(here.mobiles).toEqual(['1', '2'])
    const there = await leaseOf(second.store)
    expect(there.mobiles).toEqual(['3'])
    expect((await leaseOf(first.store)).mobiles).toEqual([])
    first.store.release(here.ranges)
    await first.store.close()
    const again = await leaseOf(second.store)
    expect(again.mobiles).toEqual(['1', '2'])
    await second.store.acknowledge([...again.ranges, ...there.ranges], 3)
    expect((await leaseOf(first.store)).mobiles).toEqual([])
    expect(await first.store.counts()).toMatchObject({ delivered: 3, statusesReturned: 3 })
  })

  test('states are returned once, whichever process is asked and which one takes in reports', async () => {
    await using first = await openMessages(one, 'both')
    await using second = await openMessages(two, 'both')
    const returned: string[] = []
    const take = async (store: typeof first.store): Promise<void> => {
      const { mobiles, ranges } = await leaseOf(store, 3)
      returned.push(...mobiles)
      if (mobiles.length > 0) await store.acknowledge(ranges, mobiles.length)
    }
    const mobilesOf = (round: number) => Array.from({ length: 5 }, (_, at) => `${round} ${at}`)
    for (let round = 0; round < 12; round++) {
      const [here, there] = round % 2 === 0 ? [first.store, second.store] : [second.store, first.store]
      await Promise.all([deliver(here, mobilesOf(round)), take(there), take(here), take(there)])
    }
    for (let before = -1; before < returned.length; ) {
      before = returned.length
      await Promise.all([take(first.store), take(second.store)])
    }
    expect(returned.toSorted()).toEqual(
      Array.from({ length: 12 }, (_, round) => mobilesOf(round))
        .flat()
        .toSorted(),
    )
    expect(await first.store.counts()).toMatchObject({ delivered: 60, statusesReturned: 60 })
  })

  test.each([
    ['is gone', 'DELETE FROM process WHERE id = $1::text'],
    ['is silent', 'UPDATE process SET seen_at = seen_at - 13000 WHERE id = $1::text'],
  ])('a lease is free when its process %s, and cannot be acknowledged after another one has it', async (name, end) => {
    await using lost = await mortal()
    await using first = await openMessages(lost.database, name)
    await using second = await openMessages(two, name)
    await deliver(first.store, ['1', '2'])
    const here = await leaseOf(first.store)
    // The other process knows the tree already.
    expect((await leaseOf(second.store)).mobiles).toEqual([])
    await two.lanes.query(end, [lost.database.process])
    const there = await leaseOf(second.store, 1)
    expect(there.mobiles).toEqual(['1'])
    await expect(first.store.acknowledge(here.ranges, 2)).rejects.toMatchObject({ code: 'unavailable' })
    expect((await first.store.counts()).statusesReturned).toBe(0)
    first.store.release(here.ranges)
    await first.store.close()
    expect((await leaseOf(second.store)).mobiles).toEqual(['2'])
    await second.store.acknowledge(there.ranges, 1)
    expect((await first.store.counts()).statusesReturned).toBe(1)
  })

  test('a lease of a process that was silent for a short time goes on', async () => {
    await using late = await mortal()
    await using first = await openMessages(late.database, 'short')
    await using second = await openMessages(two, 'short')
    await deliver(first.store, ['1'])
    const { ranges } = await leaseOf(first.store)
    await two.lanes.query('UPDATE process SET seen_at = seen_at - 6000 WHERE id = $1::text', [late.database.process])
    expect((await leaseOf(second.store)).mobiles).toEqual([])
    await first.store.acknowledge(ranges, 1)
    expect((await leaseOf(second.store)).mobiles).toEqual([])
  })

  test('the leases of processes that are gone are removed when the messages are opened', async () => {
    const gone = await open()
    const first = await openMessages(gone, 'opened')
    await deliver(first.store, ['1'])
    expect((await leaseOf(first.store)).mobiles).toEqual(['1'])
    await first.close()
    await gone.close()
    const { tree } = first.tree
    const leases = () => two.lanes.query('SELECT process FROM sms_lease WHERE tree = $1::int', [tree])
    expect(await leases()).toHaveLength(1)
    await using second = await openMessages(two, 'opened')
    expect((await leaseOf(second.store)).mobiles).toEqual(['1'])
    expect(await leases()).toEqual([{ process: two.process }])
  })

  test('one of all calls is admitted, at whichever process', async () => {
    await using first = await openMessages(one, 'admitted')
    await using second = await openMessages(two, 'admitted')
    const calls = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? first : second).store.admit(60_000))
    expect((await Promise.all(calls)).filter(Boolean)).toHaveLength(1)
    const move = (by: number) =>
      one.lanes.query('UPDATE application SET sms_called_at = sms_called_at + $2::bigint WHERE tree = $1::int', [
        first.tree.tree,
        by,
      ])
    await move(-61_000)
    expect([await second.store.admit(60_000), await first.store.admit(60_000)]).toEqual([true, false])
    // The clock of the database was set back.
    await move(3_600_000)
    expect([await second.store.admit(60_000), await first.store.admit(60_000)]).toEqual([true, false])
  })

  test('two processes that delete what is old delete it once', async () => {
    await using first = await openMessages(one, 'old')
    await using second = await openMessages(two, 'old')
    for (let at = 0; at < 40; at++) {
      await first.store.record({ rrid: `r${at}`, mobiles: Array.from({ length: 50 }, (_, n) => `${n}`) })
    }
    const cutoffs = { before: Date.now() + 1000, finals: 0, returned: 0 }
    const purge = async ({ store }: typeof first) => {
      while (await store.deleteOld(cutoffs)) {}
    }
    const reports = Array.from({ length: 40 }, (_, at) =>
      second.store.report([
        { message: { rrid: `r${at}`, mobile: '7' }, state: 2, code: 'DELIVRD', receivedAt: 1_700_000_000_000 },
      ]),
    )
    await Promise.all([purge(first), purge(second), ...reports])
    await purge(first)
    expect(await first.store.counts()).toMatchObject({ notSent: 0, delivered: 0, sending: 0 })
    expect((await first.store.export(undefined, 10)).records).toEqual([])
  })
})

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'the row of a process', () => {
  test('is refreshed while the process lives, comes back, and goes with it', async () => {
    const schema = freshSchema()
    const here = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema, heartbeatMs: 10 })
    const other = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema, heartbeatMs })
    const seen = async () =>
      (
        await other.lanes.query<{ seen: number }>('SELECT seen_at::float8 AS seen FROM process WHERE id = $1::text', [
          here.process,
        ])
      )[0]?.seen ?? 0
    const before = await seen()
    expect(before).toBeGreaterThan(0)
    while ((await seen()) <= before) {}
    await other.lanes.query('DELETE FROM process WHERE id = $1::text', [here.process])
    while ((await seen()) === 0) {}
    await here.close()
    expect(await seen()).toBe(0)
    await other.close()
  })
})
