import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { silentObserver } from '../../../../src/observer.ts'
import { ConnectionLost } from '../../../../src/store/postgres/connection/database-errors.ts'
import type { Lanes } from '../../../../src/store/postgres/connection/lanes.ts'
import { Freshness } from '../../../../src/store/postgres/follow/freshness.ts'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import type { Commit, TreeStore } from '../../../../src/store/store.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { withMembers } from '../../../support/postgres/with-members.ts'
import { plain, put, putJob, strictObserver, wide } from '../../../support/store.ts'

const increment = { '.sv': { increment: 1 } }

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'two processes on one PostgreSQL', () => {
  const schema = freshSchema()
  let one: PostgresDatabase
  let two: PostgresDatabase
  beforeAll(async () => {
    one = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema })
    two = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema })
  })
  afterAll(async () => {
    await one.close()
    await two.close()
  })

  const open = (database: PostgresDatabase, name: string, maxChanges = 10_000, observer = strictObserver) =>
    PostgresStore.open(database, name, { maxChanges, waitMs: observer === silentObserver ? 0 : undefined }, observer)

  /** Commits as a follower gets them. */
  const told = (store: TreeStore): Commit[] => {
    const commits: Commit[] = []
    store.follow({ commits: (next) => void commits.push(...next) })
    return commits
  }
  const seqsOf = (commits: readonly Commit[]) => commits.map(({ seq }) => seq)

  test('a write on one is known to the other once it is asked for', async () => {
    await using writer = await open(one, 'known')
    await using reader = await open(two, 'known')
    for (let value = 1; value <= 20; value++) {
      await put(writer, '/n', value)
      await reader.fresh()
      expect(reader.position()).toEqual(writer.position())
      expect(await plain(reader, '/n')).toBe(String(value))
    }
  })

  test('writes of both at once are done once each, in one order that both tell', async () => {
    await using left = await open(one, 'both')
    await using right = await open(two, 'both')
    const [toldLeft, toldRight] = [told(left), told(right)]
    const writes = 60
    const seqs = await Promise.all(
      Array.from({ length: writes }, async (_, index) => {
        const store = index % 2 === 0 ? left : right
        for (let wait = 0; wait < index % 7; wait++) await store.fresh()
        return (await store.commit(putJob('/n', increment))).commit?.seq
      }),
    )
    await Promise.all([left.fresh(), right.fresh()])
    expect(await plain(left)).toBe(`{"n":${writes}}`)
    const dense = Array.from({ length: writes }, (_, index) => index + 1)
    expect(seqs.toSorted((a = 0, b = 0) => a - b)).toEqual(dense)
    expect(seqsOf(toldLeft)).toEqual(dense)
    expect(seqsOf(toldRight)).toEqual(dense)
    expect(toldLeft.map(({ writes: [write] }) => write)).toEqual(toldRight.map(({ writes: [write] }) => write))
  })

  test('settings are in force on the other before later commits are told', async () => {
    await using writer = await open(one, 'settings')
    await using reader = await open(two, 'settings')
    const events: string[] = []
    reader.follow({
      settings: () => void events.push(`settings ${reader.setting('rules')}`),
      commits: (commits) => void events.push(...commits.map(({ seq }) => `commit ${seq}`)),
    })
    const setting = (text: string) =>
      // biome-ignore lint/correctness/useYield: it reads nothing
      function* () {
        return { result: undefined, settings: [['rules', text] as const] }
      }
    await put(writer, '/a', 1)
    await writer.commit(setting('\u0000 \ud800'))
    await put(writer, '/a', 2)
    await reader.fresh()
    expect(events).toEqual(['commit 1', 'settings \u0000 \ud800', 'commit 2'])
  })

  test('a change whose data the log does not have is told as unknown', async () => {
    await using writer = await open(one, 'unknown')
    await using reader = await open(two, 'unknown')
    const commits = told(reader)
    await put(writer, '/long', wide(4000, String))
    await put(writer, '/short', 1)
    await reader.fresh()
    expect(commits.map(({ path, isUnknown }) => [path, isUnknown ?? false])).toEqual([
      [['long'], true],
      [['short'], false],
    ])
  })

  test('a process that the log has left behind begins anew', async () => {
    await using writer = await open(one, 'behind', 10)
    let isCut = false
    const query: Lanes['query'] = (text, parameters) =>
      isCut ? Promise.reject(new ConnectionLost('planned')) : two.lanes.query(text, parameters)
    const lanes = withMembers(two.lanes, { query, short: query })
    const cut = withMembers(two, { lanes, freshness: new Freshness(lanes) })
    await using reader = await open(cut, 'behind', 10, silentObserver)
    const commits = told(reader)
    isCut = true
    await expect(reader.fresh()).rejects.toMatchObject({ code: 'unavailable' })
    for (let value = 0; value < 600; value++) await put(writer, `/${value}`, value)
    await writer.swept()
    isCut = false
    await reader.fresh()
    expect(reader.position()).toEqual(writer.position())
    expect(commits.at(-1)).toMatchObject({ seq: writer.position().seq, path: [], isUnknown: true })
    await put(reader, '/after', 1)
    await writer.fresh()
    expect(await plain(writer, '/after')).toBe('1')
  })

  test('a read that another history has put back behind a write catches up before it is answered', async () => {
    await using writer = await open(one, 'history')
    await put(writer, '/a', 1)
    const [read, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isHeld = false
    const snapshot: Lanes['snapshot'] = async (work) => {
      const result = await two.lanes.snapshot(work)
      if (isHeld) {
        read.resolve()
        await release.promise
      }
      return result
    }
    const lanes = withMembers(two.lanes, { snapshot })
    let rebase = async () => {}
    let settled: Promise<void> | undefined
    const history = withMembers(two.history, {
      follow: (own: () => Promise<void>) => {
        rebase = own
        return () => {}
      },
      get settled() {
        return settled
      },
    })
    const slow = withMembers(two, { lanes, history, freshness: new Freshness(lanes) })
    await using reader = await open(slow, 'history')
    await one.lanes.query('UPDATE application SET epoch = $1::text WHERE id = $2::text', ['another', 'history'])
    isHeld = true
    settled = rebase().finally(() => {
      settled = undefined
    })
    await read.promise
    isHeld = false
    await put(writer, '/a', 2)
    const fresh = reader.fresh()
    while (reader.position().seq < writer.position().seq) await new Promise(setImmediate)
    release.resolve()
    await fresh
    expect(reader.position()).toEqual({ epoch: 'another', seq: writer.position().seq })
  })
})
