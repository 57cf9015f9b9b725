import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Caller } from '../../../../src/auth/caller.ts'
import { Database } from '../../../../src/database/database.ts'
import { ApplicationCatalog } from '../../../../src/engines/catalog/application-catalog.ts'
import { silentObserver } from '../../../../src/observer.ts'
import { Messages } from '../../../../src/sms/messages.ts'
import { ConnectionLost } from '../../../../src/store/postgres/connection/database-errors.ts'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import type { Job } from '../../../../src/store/store.ts'
import { databaseSettings } from '../../../support/database-settings.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { type Fault, faulty } from '../../../support/postgres/faulty-lanes.ts'
import { openMessages } from '../../../support/postgres/messages.ts'
import { plain, put } from '../../../support/store.ts'

const increment = { '.sv': { increment: 1 } }
const YEAR_MS = 365 * 24 * 60 * 60 * 1000

/** A job that generates a key, after it has read something. */
function keyed(reads: readonly string[]): Job<string> {
  return function* (context) {
    for (const key of reads) yield { kind: 'idempotency-record', key }
    return { result: context.nextPushId() }
  }
}

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'the order of commits of two processes', () => {
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

  const open = (database: PostgresDatabase, name: string, faults: Fault[] = [], maxChanges = 10_000) =>
    PostgresStore.open(faulty(database, faults), name, { maxChanges }, silentObserver)

  test('generated keys increase in the order of the jobs, whichever of them asks first', async () => {
    await using store = await open(one, 'jobs')
    const jobs = [keyed(['a']), keyed([]), keyed(['a', 'b']), keyed([]), keyed(['c'])]
    const keys = (await Promise.all(jobs.map((job) => store.commit(job)))).map(({ result }) => result)
    expect(keys).toEqual(keys.toSorted())
    expect(new Set(keys).size).toBe(jobs.length)
  })

  test('a key that was generated before another process has appended is not committed after its key', async () => {
    const faults: Fault[] = []
    await using left = new Database(await open(one, 'overtaken', faults), databaseSettings)
    await using right = new Database(await open(two, 'overtaken'), databaseSettings)
    await left.post('/list', 0)
    let sooner = ''
    faults.push(async (run) => {
      sooner = (await right.post('/list', 1)).name
      return run()
    })
    const { name } = await left.post('/list', 2)
    expect(sooner < name).toBe(true)
    expect(JSON.stringify(await left.get('/list'))).toContain(`"${sooner}":1,"${name}":2`)
  })

  describe.each([YEAR_MS, -YEAR_MS])(
    'times are of the clock of the database, not of a process that is %i ms ahead',
    (shift) => {
      const clock = Date.now
      beforeAll(() => {
        Date.now = () => clock() + shift
      })
      afterAll(() => {
        Date.now = clock
      })

      test('those of commits', async () => {
        await using store = await open(one, 'clock')
        const commit = await put(store, '/n', shift)
        expect(Math.abs((commit?.at ?? 0) - clock())).toBeLessThan(YEAR_MS / 2)
      })

      test('that of new keys of an application', async () => {
        await using store = await open(one, 'keys')
        const catalog = new ApplicationCatalog(one, undefined)
        await catalog.keep('keys', {})
        await catalog.replaceKey('keys', 'secret', `a super secret of ${shift}`)
        await store.fresh()
        const commit = await put(store, '/n', shift)
        expect(Math.abs((commit?.at ?? 0) - clock())).toBeLessThan(YEAR_MS / 2)
      })

      test('`now` in rules, of reads and of writes', async () => {
        const near = (time: string) => `${time} > ${clock() - YEAR_MS / 2} && ${time} < ${clock() + YEAR_MS / 2}`
        const rules = JSON.stringify({ rules: { '.read': near('now'), '.write': near('now') } })
        await using database = new Database(await open(one, 'rules'), { ...databaseSettings, rules })
        const as: Caller = { kind: 'user', auth: { uid: 'ann' } }
        await database.put('/n', 1, { as })
        expect(await database.get('/n', { as })).toBe(1)
      })

      test('that of text messages which are too old', async () => {
        await using opened = await openMessages(one, 'messages')
        const messages = new Messages(
          { openStore: () => opened.store, readKey: () => '', onError: () => {} },
          { timeZone: '+08:00', mobile: '', retentionDays: 30, intervalMs: 0 },
        )
        const { rrid } = await opened.store.record({ mobiles: ['1'] })
        await messages.purge()
        expect(await opened.store.batch(rrid)).toContain('"mobile":"1"')
      })
    },
  )

  test('rules that one batch puts over each other are in force between, and its row has the last', async () => {
    const allow = (n: number) => JSON.stringify({ rules: { $key: { '.write': `newData.val() === ${n}` } } })
    await using store = await open(one, 'hidden')
    await using database = new Database(store, databaseSettings)
    const as: Caller = { kind: 'user', auth: { uid: 'ann' } }
    const write = (n: number) => database.put(`/n${n}`, n, { as }).then(() => n)
    const put = (n: number) => database.setRules(allow(n))
    const done = await Promise.allSettled([put(1), write(1), write(2), put(2), write(1), write(2)])
    const [, first, early, , late, second] = done.map(({ status }) => status)
    expect({ first, early, late, second }).toEqual({
      ...{ first: 'fulfilled', early: 'rejected' },
      ...{ late: 'rejected', second: 'fulfilled' },
    })
    const rows = await one.lanes.query<{ settings: string }>(
      'SELECT settings FROM log WHERE tree = $1::int AND settings IS NOT NULL',
      [store.tree],
    )
    expect(rows).toHaveLength(1)
    expect(new Map(JSON.parse(rows[0]?.settings ?? '[]')).get('rules')).toBe(allow(2))
  })

  test('a batch in doubt whose row is removed meanwhile is not done again', async () => {
    const faults: Fault[] = []
    await using store = await open(one, 'removed', faults)
    await using other = await open(two, 'removed', [], 1)
    await put(store, '/n', 0)
    faults.push(async (run) => {
      await run()
      await Promise.all(Array.from({ length: 600 }, (_, index) => put(other, '/other', index)))
      await other.swept()
      throw new ConnectionLost('planned')
    })
    await expect(put(store, '/n', increment)).rejects.toMatchObject({ code: 'unavailable' })
    await put(store, '/n', increment)
    expect(await plain(store, '/n')).toBe('2')
  })
})
