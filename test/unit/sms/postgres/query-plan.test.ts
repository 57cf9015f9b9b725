import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { PostgresMessageStore } from '../../../../src/sms/postgres/postgres-message-store.ts'
import type { Statements, Tables } from '../../../../src/sms/postgres/tables.ts'
import { PostgresDatabase } from '../../../../src/store/postgres/postgres-database.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { EAST, openMessages } from '../../../support/postgres/messages.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Rows beside those of the statements: enough that a look through a table would not be chosen by mistake. */
const BATCHES = 5000
const OTHERS = 30_000

/** What looks through a table, or at all rows of a tree. */
const BAD = /Seq Scan|Hash Join|Merge Join|Gather|Materialize|Bitmap Heap Scan on sms_(message|batch|text|final)/

/** Rows of another application and of this one. */
function fill(tree: number, now: number): readonly string[] {
  return [
    `INSERT INTO sms_batch SELECT t, 1000000 + n, 'x' || n, ${now} + n FROM generate_series(1, ${BATCHES}) n, unnest(ARRAY[${tree}, 999999]) t`,
    `INSERT INTO sms_message SELECT t, 1000000 + n / 20, n % 20, 'm' || n, n % 4, '', ${now}, 'i' || n, ${now}, NULL, NULL FROM generate_series(20, ${OTHERS}) n, unnest(ARRAY[${tree}, 999999]) t`,
    `INSERT INTO sms_final SELECT t, ${now - 2 * DAY_MS}::bigint * 1024 + n, 'x', 'm', 2, '', ${now} FROM generate_series(1, ${OTHERS}) n, unnest(ARRAY[${tree}, 999999]) t`,
    `INSERT INTO sms_handover SELECT t, ${now - 2 * DAY_MS}::bigint * 1024 + 2 * n, ${now - 2 * DAY_MS}::bigint * 1024 + 2 * n, ${now} FROM generate_series(1, ${OTHERS / 2}) n, unnest(ARRAY[${tree}, 999999]) t`,
    `INSERT INTO sms_contradiction SELECT t, 'x' || n, 'm', 2, '', ${now}, ${now} + n FROM generate_series(1, ${OTHERS}) n, unnest(ARRAY[${tree}, 999999]) t`,
    `INSERT INTO sms_text SELECT t, 1000000 + n, '', '' FROM generate_series(1, ${BATCHES}) n, unnest(ARRAY[${tree}, 999999]) t`,
    `INSERT INTO sms_count SELECT t, 'sending', 1 FROM generate_series(1000000, 1010000) t`,
    `INSERT INTO sms_lease SELECT 1000000 + n % 1000, n, n, n % 500, '' FROM generate_series(1, 20000) n`,
    `INSERT INTO process SELECT n::text, '', 1, '', 0, 0 FROM generate_series(1, 1000) n`,
    'ANALYZE sms_batch, sms_message, sms_final, sms_handover, sms_contradiction, sms_text, sms_count, sms_lease, process',
  ]
}

/** Tables that explain each statement, once, where it runs. */
function explained(tables: Tables, plans: Map<string, string>): Tables {
  const over = (statements: Statements): Statements => ({
    query: async (text, values = []) => {
      if (!plans.has(text)) {
        plans.set(text, '')
        plans.set(text, await planOf(statements, text, values.length))
      }
      return await statements.query(text, values)
    },
  })
  const transaction: Tables['transaction'] = (work) => tables.transaction((statements) => work(over(statements)))
  return {
    ...tables,
    transaction,
    query: (text, values) => transaction(({ query }) => query(text, values)),
    run: (work) => tables.run(({ statements, ...rest }) => work({ ...rest, statements: over(statements) })),
    snapshot: (work) => tables.snapshot((statements) => work(over(statements))),
  }
}

/** The plan that does not depend on the values. */
async function planOf({ query }: Statements, text: string, values: number): Promise<string> {
  const name = `explained_${crypto.randomUUID().replaceAll('-', '')}`
  await query(`PREPARE ${name} AS ${text}`)
  const nothing = values === 0 ? '' : `(${Array.from({ length: values }, () => 'NULL').join(', ')})`
  const rows = await query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE ${name}${nothing}`)
  await query(`DEALLOCATE ${name}`)
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

/** Calls everything. */
async function useAll(store: PostgresMessageStore, now: number): Promise<void> {
  const mobiles = Array.from({ length: 600 }, (_, at) => `${at}`)
  const rest = { code: 'DELIVRD', receivedAt: now }
  for (const [rrid, count] of [
    ['r', 12],
    ['long', 600],
  ] as const) {
    const some = mobiles.slice(0, count)
    await store.record({ rrid, mobiles: some, messageIds: some.map((mobile) => `${rrid} ${mobile}`) })
    await store.record({ rrid, mobiles: some })
    await store.report(some.map((mobile) => ({ message: { rrid, mobile }, state: 2, ...rest })))
    await store.batch(rrid)
  }
  await store.report([{ message: { messageId: 'r 1' }, state: 3, ...rest }])
  await store.import([
    { rrid: 'r', mobile: 'new', status: 2, deliveryStatus: '', submittedAt: now },
    { rrid: 'x1', mobile: 'm21', status: 3, deliveryStatus: '', submittedAt: now, messageId: 'named' },
    { rrid: 'imported', mobile: 'new', status: 0, deliveryStatus: '', submittedAt: now },
    { rrid: 'imported', mobile: 'new', status: 0, deliveryStatus: '', submittedAt: now, messageId: 'named' },
  ])
  await store.import([
    { rrid: 'imported', mobile: 'new', status: 1, deliveryStatus: '', submittedAt: now, messageId: 'named' },
    { rrid: 'imported 2', mobile: 'new', status: 0, deliveryStatus: '', submittedAt: now },
  ])
  await store.import([
    { rrid: 'imported 2', mobile: 'new', status: 0, deliveryStatus: '', submittedAt: now, messageId: 'later' },
  ])
  const first = await store.lease(undefined, 5)
  const second = await store.lease(undefined, 1000)
  if (first === undefined || second === undefined) throw new Error('nothing was leased')
  await store.acknowledge([first.range], 5)
  store.release([second.range])
  await store.admit(1)
  await store.export(undefined, 100)
  await store.export([1_000_000, 3], 100)
  await store.batches(undefined, 100)
  await store.search({ rrid: 'long' }, undefined, 100)
  await store.search({ rrid: 'long', mobile: '1' }, undefined, 100)
  await store.search({ mobile: '1' }, undefined, 100)
  await store.counts()
  await store.deleteOld({ before: now + 100, finals: (now - DAY_MS) * 1024, returned: (now - DAY_MS) * 1024 })
}

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'plans of the statements about text messages', () => {
  let database: PostgresDatabase
  beforeEach(async () => {
    database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
  })
  afterEach(() => database.close())

  test.each([
    ['large', true],
    ['empty, as far as the planner knows', false],
  ])('no statement looks through tables that are %s', async (name, isLarge) => {
    await using opened = await openMessages(database, name)
    const now = Date.now()
    if (isLarge) for (const text of fill(opened.tree.tree, now)) await database.lanes.query(text)
    const plans = new Map<string, string>()
    const store = new PostgresMessageStore(explained(opened.tree.sideTables, plans), EAST, (error) => {
      throw error
    })
    await useAll(store, now)
    await store.close()
    const bad = [...plans].filter(([, plan]) => BAD.test(plan)).map(([text, plan]) => `${text}\n${plan}`)
    expect(bad.join('\n\n')).toBe('')
    expect(plans.size).toBeGreaterThan(40)
  })
})
