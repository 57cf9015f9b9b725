import type { ApplicationStorage } from '../../../src/engines/engine.ts'
import { PostgresEngine } from '../../../src/engines/postgres-engine.ts'
import { SqliteEngine } from '../../../src/engines/sqlite-engine.ts'
import type { DatabaseServer } from '../../../src/options.ts'
import { BatchFormat } from '../../../src/sms/format/batch-format.ts'
import { ReceiveTime } from '../../../src/sms/format/receive-time.ts'
import type { MessageRecord } from '../../../src/sms/model/message.ts'
import type { Report } from '../../../src/sms/model/report.ts'
import type { LoggedChange, Position } from '../../../src/store/store.ts'
import { type ReadAnswer, TRUSTED } from '../../../src/tree/read-program.ts'
import { commit, nothing, patch, put, putJob, strictObserver, unlimited } from '../../support/store.ts'
import { query } from '../../unit/store/queries.ts'

/** A place of applications. */
export type TestPlace = { readonly folder: string } | { readonly server: DatabaseServer }

const FORMAT = new BatchFormat(new ReceiveTime('+08:00'))
const NOTES = ['first', 'odd \u0000 "key"']
const SETTINGS = ['rules', 'odd \u0000', 'other']
const [A, B, C, D, E] = ['13800138000', '13800138001', '13800138002', '13800138003', '13800138004'] as const

/** Runs work on an open application, and closes it. */
export async function withApplication<T>(
  place: TestPlace,
  id: string,
  use: (application: ApplicationStorage) => Promise<T>,
): Promise<T> {
  const engine = 'folder' in place ? new SqliteEngine(place.folder) : new PostgresEngine(place.server)
  try {
    const application = await engine.open(id, {}, strictObserver, true)
    try {
      return await use(application)
    } finally {
      await application.tree.close()
    }
  } finally {
    await engine.close()
  }
}

/** Fills an application with every kind of value, log entry, record, setting and message. */
export async function fill(place: TestPlace, id: string): Promise<void> {
  await withApplication(place, id, async ({ tree, messages }) => {
    await put(tree, '/leaves', { a: true, b: false, n: -0.5, big: 2 ** 53, s: 'text "\u0001\u{1F600}', e: '' })
    await put(tree, '/priorities', {
      '.priority': 'high',
      x: { '.priority': -1, '.value': 'leaf' },
      y: { '.priority': 2, z: 1 },
    })
    await put(tree, '/keys', {
      1: 'one',
      10: 'ten',
      9: 'nine',
      '-0': 'minus',
      '001': 'text',
      'ü "\\': 1,
      '\u{1F600}': 2,
    })
    await put(tree, '/long/string', 'é"\\'.repeat(150_000))
    await put(tree, '/long/with', { '.priority': 7, '.value': 'x'.repeat(600_000) })
    await put(tree, '/deep', { a: { b: { c: { d: { e: 'y'.repeat(5000) } } } } })
    await put(
      tree,
      '/list',
      Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, { n: at % 7, t: `t${at}` }])),
    )
    await put(tree, '/gone', Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, 'gone '.repeat(10)])))
    await put(tree, '/gone', null)
    await patch(tree, '/leaves', { n: null, s: 'other', 'deeper/down': [1, 2, 3] })
    await Promise.all(Array.from({ length: 100 }, (_, at) => put(tree, `/many/k${at}`, at)))
    await tree.declareIndexes([{ list: ['list'], path: ['n'] }])
    await tree.declareIndexes([{ list: ['list'], path: ['t'], covering: true }])
    await commit(tree, function* (context) {
      return yield* putJob(`/pushed/${context.nextPushId()}`, 1)(context)
    })
    for (const key of NOTES) await commit(tree, noting(key, JSON.stringify({ of: key })))
    for (const name of SETTINGS) await commit(tree, setting(name, `of ${name} \u0000 \ud800 "`))
    await fillMessages(messages(FORMAT))
  })
}

async function fillMessages(store: ReturnType<ApplicationStorage['messages']>): Promise<void> {
  await store.record({ rrid: 'one', mobiles: [A, B, C, D], messageIds: ['id-a', 'id-b', 'id-c', 'id-d'] })
  await store.record({ rrid: '"odd', mobiles: [E] })
  const now = Date.now()
  const report = (mobile: string, state: Report['state'], code: string, rrid = 'one'): Report => ({
    message: { rrid, mobile },
    state,
    code,
    receivedAt: now,
  })
  await store.report([report(A, 1, 'ENROUTE'), report(B, 2, 'DELIVRD'), report(C, 3, 'UNDELIV')])
  await store.report([
    report(B, 3, 'UNDELIV'),
    report(B, 2, 'DELIVRD'),
    report('139', 2, 'DELIVRD'),
    report(E, 2, '"', '"odd'),
  ])
  const page = await store.lease(undefined, 1)
  if (page === undefined) throw new Error('no final state')
  await store.acknowledge([page.range], 1)
  await store.import([
    {
      rrid: 'from afar',
      mobile: A,
      status: 2,
      deliveryStatus: 'DELIVRD',
      submittedAt: now,
      receivedAt: now,
      returnedAt: now,
    },
  ])
  await store.batch('"odd')
}

/** All that clients can learn of an application. */
export interface Learned {
  readonly position: Position
  /** Text of the whole tree. */
  readonly value: string
  readonly etag: string | undefined
  /** Answers of ordered queries. */
  readonly queries: readonly string[]
  readonly log: readonly LoggedChange[] | undefined
  readonly trimmed: unknown
  readonly settings: readonly (string | undefined)[]
  readonly records: readonly ReadAnswer[]
  readonly messages: readonly MessageRecord[]
  readonly counts: unknown
  readonly batches: readonly unknown[]
  readonly finals: readonly unknown[]
}

export async function learn(place: TestPlace, id: string): Promise<Learned> {
  return await withApplication(place, id, async ({ tree, messages }) => {
    const store = messages(FORMAT)
    const position = tree.position()
    const records: ReadAnswer[] = []
    for (const key of [...NOTES, 'unknown']) {
      await tree.commit(function* () {
        records.push(yield { kind: 'idempotency-record', key })
        return { result: undefined }
      })
    }
    const finals: unknown[] = []
    for (let page = await store.lease(undefined, 2); page !== undefined; page = await store.lease(page.range.last, 2)) {
      finals.push(...page.records.map((record) => ({ ...record })))
    }
    let value = ''
    for await (const piece of tree.export([])) value += piece
    const node = await tree.node([], unlimited, TRUSTED)
    const queries: string[] = []
    for (const orderBy of ['n', 't', '$key', 'missing']) {
      queries.push((await query(tree, '/list', { orderBy, limitToFirst: 40 })) ?? '')
    }
    return {
      position,
      queries,
      value,
      etag: node?.etag,
      log: await tree.changesAfter({ ...position, seq: 0 }, 10_000),
      trimmed: await tree.changesAfter({ epoch: 'other', seq: 0 }, 1),
      // A file stores another character in place of half of a surrogate pair.
      settings: SETTINGS.map((name) => tree.setting(name)?.toWellFormed()),
      records,
      messages: (await store.export(undefined, 1000)).records,
      counts: await store.counts(),
      batches: [await store.batch('one'), await store.batch('"odd'), await store.batch('none')],
      finals,
    }
  })
}

function noting(key: string, text: string) {
  return function* (context: Parameters<typeof nothing>[0]) {
    return { ...(yield* nothing(context)), record: { key, text } }
  }
}

function setting(name: string, text: string) {
  // biome-ignore lint/correctness/useYield: a job that asks for nothing
  return function* () {
    return { result: undefined, settings: [[name, text] as const] }
  }
}
