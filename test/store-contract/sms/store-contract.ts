import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import fc from 'fast-check'
import type { Awaitable } from '../../../src/scheduling/awaitable.ts'
import { BatchFormat } from '../../../src/sms/format/batch-format.ts'
import { ReceiveTime } from '../../../src/sms/format/receive-time.ts'
import type { MessageStore } from '../../../src/sms/message-store.ts'
import { seqOf } from '../../../src/sms/model/final-seq.ts'
import type { MessageRecord } from '../../../src/sms/model/message.ts'
import type { Report, State } from '../../../src/sms/model/report.ts'
import { runsInLanes } from '../../support/lane.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** An engine under test. */
export interface MessageEngine {
  readonly name: string
  /** Opens or creates the messages of a name that is the test's own: the path of a file. */
  open(file: string, format: BatchFormat): Awaitable<{ readonly store: MessageStore; close(): Promise<void> }>
}

const START = Date.parse('2026-03-01T12:00:00Z')
const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
const A = '13800138000'
const B = '13800138001'
const EAST = new BatchFormat(new ReceiveTime('+08:00'))
const BERLIN = new BatchFormat(new ReceiveTime('Europe/Berlin'))
const NONE = { before: 0, finals: 0, returned: 0 }

/** What every engine must do. */
export function messageStoreContract(engine: MessageEngine): void {
  describe(`message store contract: ${engine.name}`, () => {
    afterEach(() => {
      setSystemTime()
    })

    async function withStore(
      use: (store: MessageStore, reopen: (format?: BatchFormat) => Promise<MessageStore>) => Promise<void>,
    ) {
      await using dir = await tempDir()
      let opened = await engine.open(dir.file('messages'), EAST)
      try {
        await use(opened.store, async (format = EAST) => {
          await opened.close()
          opened = await engine.open(dir.file('messages'), format)
          return opened.store
        })
      } finally {
        await opened.close()
      }
    }

    test('a batch is stored once, in the order of submission', () =>
      withStore(async (store) => {
        expect(await store.record({ rrid: 'r', mobiles: [B, A] })).toEqual({ rrid: 'r', isNew: true })
        expect(await store.record({ rrid: 'r', mobiles: [B, A] })).toEqual({ rrid: 'r', isNew: false })
        expect(store.record({ rrid: 'r', mobiles: [A, B] })).rejects.toMatchObject({ code: 'sms-bad-arguments' })
        expect(await batchOf(store, 'r')).toMatchObject([
          { mobile: B, status: 0 },
          { mobile: A, status: 0 },
        ])
        expect(await store.batch('other')).toBeUndefined()
        const { rrid } = await store.record({ mobiles: [A] })
        expect(await batchOf(store, rrid)).toMatchObject([{ mobile: A }])
        expect(await store.counts()).toMatchObject({ notSent: 3, sending: 0 })
      }))

    test('reports change a message until it is final', () =>
      withStore(async (store) => {
        await store.record({ rrid: 'r', mobiles: [A, B], messageIds: ['id-a', 'id-b'] })
        const outcomes: [Report, accepted: number, changed: string[], status: State][] = [
          [report(A, 1, 'ENROUTE'), 1, ['r'], 1],
          [report(A, 1, 'ENROUTE'), 1, [], 1],
          [{ ...report(A, 2, 'DELIVRD'), message: { messageId: 'id-a' } }, 1, ['r'], 2],
          [report(A, 2, 'DELIVRD'), 1, [], 2],
          [report(A, 1, 'ENROUTE'), 0, [], 2],
          [report(A, 3, 'UNDELIV'), 0, [], 2],
          [report('13899999999', 2, 'DELIVRD'), 0, [], 2],
          [{ ...report(A, 2, 'DELIVRD'), message: { messageId: 'unknown' } }, 0, [], 2],
        ]
        for (const [given, accepted, changed, status] of outcomes) {
          const outcome = await store.report([given])
          expect([outcome.accepted, outcome.ignored, [...outcome.changed]]).toEqual([accepted, 1 - accepted, changed])
          expect((await batchOf(store, 'r'))[0]).toMatchObject({ status })
        }
        expect(await store.counts()).toEqual({
          notSent: 1,
          sending: 0,
          delivered: 1,
          failed: 0,
          reportsAccepted: 2,
          reportsRepeated: 2,
          reportsContradicting: 1,
          reportsLate: 1,
          reportsUnknown: 2,
          statusesReturned: 0,
        })
      }))

    test('a final state is leased to one call, and returned once', () =>
      withStore(async (store, reopen) => {
        await finals(store, ['1', '2', '3'])
        const first = await store.lease(undefined, 2)
        expect(first?.records.map(({ mobile }) => mobile)).toEqual(['1', '2'])
        const second = await store.lease(undefined, 10)
        expect(second?.records.map(({ mobile }) => mobile)).toEqual(['3'])
        expect(await store.lease(undefined, 10)).toBeUndefined()
        store.release([first!.range])
        expect((await store.lease(undefined, 1))?.records.map(({ mobile }) => mobile)).toEqual(['1'])
        await store.acknowledge([second!.range], 1)
        expect((await store.counts()).statusesReturned).toBe(1)
        // Leases end with the process; what was returned stays so.
        const again = await reopen()
        expect((await again.lease(undefined, 10))?.records.map(({ mobile }) => mobile)).toEqual(['1', '2'])
      }))

    test('a lease looks after a sequence number, and not further back than a day', () =>
      withStore(async (store) => {
        setSystemTime(new Date(START))
        await finals(store, ['1', '2'])
        const first = await store.lease(undefined, 1)
        store.release([first!.range])
        const later = await store.lease(first!.range.last, 10)
        expect(later?.records.map(({ mobile }) => mobile)).toEqual(['2'])
        store.release([later!.range])
        setSystemTime(new Date(START + DAY_MS - 1))
        expect((await store.lease(undefined, 1))?.records).toHaveLength(1)
        setSystemTime(new Date(START + DAY_MS + 1))
        expect(await store.lease(first!.range.last, 10)).toBeUndefined()
      }))

    test('one call is admitted per interval', () =>
      withStore(async (store) => {
        const admitted = await Promise.all(Array.from({ length: 8 }, async () => await store.admit(HOUR_MS)))
        expect(admitted.filter(Boolean)).toHaveLength(1)
        expect(await store.admit(HOUR_MS)).toBe(false)
        expect([await store.admit(0), await store.admit(0)]).toEqual([true, true])
      }))

    // A store may treat a call about most messages of a batch in another way.
    test.each([0, 12])(
      'reports of one call are applied in their order, however they name a message: %p others',
      (count) =>
        withStore(async (store) => {
          const others = Array.from({ length: count }, (_, at) => `${at}`)
          const ids = others.map((other) => `id-${other}`)
          await store.record({ rrid: 'r', mobiles: [A, B, ...others], messageIds: ['id-a', 'id-b', ...ids] })
          const byId = { ...report(A, 3, 'UNDELIV'), message: { messageId: 'id-a' } }
          const given = [report(A, 1, 'ENROUTE'), byId, report(A, 3, 'UNDELIV'), report(A, 2, 'DELIVRD'), byId]
          const late = [report(A, 1, 'ENROUTE'), report(B, 1, 'ENROUTE'), report(B, 1, 'ACCEPTD')]
          const unknown = report('unknown', 2, 'DELIVRD')
          const of = others.map((other) => report(other, 2, 'DELIVRD'))
          const outcome = await store.report([...of, ...given, ...late, unknown])
          expect(outcome).toEqual({ accepted: 6 + count, ignored: 3, changed: new Set(['r']) })
          expect(await batchOf(store, 'r')).toMatchObject([
            { status: 3, deliveryStatus: 'UNDELIV' },
            { status: 1, deliveryStatus: 'ACCEPTD' },
            ...others.map((mobile) => ({ mobile, status: 2, deliveryStatus: 'DELIVRD' })),
          ])
          expect(await store.counts()).toMatchObject({
            notSent: 0,
            sending: 1,
            delivered: count,
            failed: 1,
            reportsAccepted: 4 + count,
            reportsRepeated: 2,
            reportsContradicting: 1,
            reportsLate: 1,
            reportsUnknown: 1,
          })
          expect((await store.lease(undefined, 20))?.records.map(({ mobile }) => mobile)).toEqual([...others, A])
        }),
    )

    test('a gateway id that is used again means the message that was submitted last', () =>
      withStore(async (store) => {
        const imported = { mobile: A, status: 0, deliveryStatus: '', messageId: 'id' } as const
        await store.import([
          { ...imported, rrid: 'new', submittedAt: START + 1 },
          { ...imported, rrid: 'old', submittedAt: START },
        ])
        const { changed } = await store.report([{ ...report(A, 2, 'DELIVRD'), message: { messageId: 'id' } }])
        expect([...changed]).toEqual(['new'])
      }))

    test('thousands of messages are recorded, reported, imported and returned in order', () =>
      withStore(async (store) => {
        const mobiles = Array.from({ length: 2500 }, (_, at) => `${10_000 + at}`)
        expect(await store.record({ rrid: 'r', mobiles })).toEqual({ rrid: 'r', isNew: true })
        expect(await store.record({ rrid: 'r', mobiles })).toEqual({ rrid: 'r', isNew: false })
        const others = [...mobiles.slice(0, -1), 'other']
        for (const other of [others, mobiles.slice(1), [...mobiles, 'more']])
          expect(store.record({ rrid: 'r', mobiles: other })).rejects.toMatchObject({ code: 'sms-bad-arguments' })
        expect((await store.report(mobiles.map((mobile) => report(mobile, 2, 'DELIVRD')))).accepted).toBe(2500)
        const returned: string[] = []
        for (let page = await store.lease(undefined, 10_000); page !== undefined; ) {
          returned.push(...page.records.map(({ mobile }) => mobile))
          await store.acknowledge([page.range], page.records.length)
          page = await store.lease(undefined, 10_000)
        }
        expect(returned).toEqual(mobiles)
        const read = (await batchOf(store, 'r')) as readonly { readonly mobile: string }[]
        expect(read.map(({ mobile }) => mobile)).toEqual(mobiles)
        const { records, next } = await store.export(undefined, 2501)
        expect([records.length, next]).toEqual([2500, undefined])
        const twice = [...records, ...records].map((record) => ({ ...record, rrid: `copy of ${record.rrid}` }))
        expect(await store.import(twice)).toEqual({ added: 2500, known: 2500, changed: 0 })
        expect(await store.counts()).toMatchObject({ notSent: 0, delivered: 5000, statusesReturned: 2500 })
        expect((await store.export(undefined, 10_000)).records.map(({ mobile }) => mobile)).toEqual([
          ...mobiles,
          ...mobiles,
        ])
      }))

    test('texts of any characters come back as they were', () =>
      withStore(async (store) => {
        const mobiles = [
          '\0',
          'a\0b',
          '"',
          '"\\u0000"',
          '\\',
          '{a,b}',
          'NULL',
          '\u{1f600}',
          '\ufffd',
          '\n',
          "'; --",
          '\u007f',
        ]
        await store.record({ rrid: 'r', mobiles, messageIds: mobiles.map((mobile) => `id ${mobile}`) })
        expect(await store.record({ rrid: 'r', mobiles })).toMatchObject({ isNew: false })
        await store.report(
          mobiles.map((mobile, at) =>
            at % 2 === 0
              ? report(mobile, 2, `code ${mobile}`)
              : { ...report('', 2, `code ${mobile}`), message: { messageId: `id ${mobile}` } },
          ),
        )
        const { ignored } = await store.report(mobiles.map((mobile) => report(mobile, 3, `no ${mobile}`)))
        expect([ignored, (await store.counts()).reportsContradicting]).toEqual([mobiles.length, mobiles.length])
        const expected = mobiles.map((mobile) => ({ mobile, deliveryStatus: `code ${mobile}` }))
        expect(await batchOf(store, 'r')).toMatchObject(expected)
        const { records } = await store.export(undefined, 100)
        expect(records).toMatchObject(expected.map((record) => ({ ...record, messageId: `id ${record.mobile}` })))
        expect(await store.import(records)).toEqual({ added: 0, known: mobiles.length, changed: 0 })
        const page = await store.lease(undefined, 100)
        expect(page?.records).toMatchObject(mobiles.map((mobile) => ({ mobile, code: `code ${mobile}` })))
      }))

    test('an import adds, moves forward and never back', () =>
      withStore(async (store) => {
        const record: MessageRecord = {
          rrid: 'r',
          mobile: A,
          status: 1,
          deliveryStatus: 'ENROUTE',
          submittedAt: START,
          receivedAt: START,
        }
        const final: MessageRecord = {
          ...record,
          status: 2,
          deliveryStatus: 'DELIVRD',
          messageId: 'id',
          returnedAt: START,
        }
        expect(await store.import([record])).toEqual({ added: 1, known: 0, changed: 0 })
        expect(await store.import([record])).toEqual({ added: 0, known: 1, changed: 0 })
        expect(await store.import([final, record])).toEqual({ added: 0, known: 1, changed: 1 })
        expect((await store.export(undefined, 10)).records).toEqual([{ ...final, producedAt: START }])
        // It was returned elsewhere.
        expect(await store.lease(undefined, 10)).toBeUndefined()
      }))

    test('pages of an export hold every message once', () =>
      withStore(async (store) => {
        for (let at = 0; at < 7; at++)
          await store.record({ rrid: `r${at}`, mobiles: Array.from({ length: at * 40 + 1 }, (_, n) => `${n}`) })
        const seen: string[] = []
        let page = await store.export(undefined, 33)
        for (;;) {
          seen.push(...page.records.map(({ rrid, mobile }) => `${rrid} ${mobile}`))
          if (page.next === undefined) break
          page = await store.export(page.next, 33)
        }
        expect(seen).toHaveLength(7 + 40 * 21)
        expect(new Set(seen).size).toBe(seen.length)
      }))

    test('old messages and states are deleted in steps, the others stay', () =>
      withStore(async (store) => {
        expect(await store.deleteOld(NONE)).toBe(false)
        setSystemTime(new Date(START))
        await store.record({ rrid: 'old', mobiles: Array.from({ length: 1200 }, (_, at) => `${at}`) })
        await store.report([{ ...report('0', 2, 'DELIVRD'), message: { rrid: 'old', mobile: '0' } }])
        setSystemTime(new Date(START + 3 * DAY_MS))
        await store.record({ rrid: 'young', mobiles: [A] })
        const cutoffs = { before: START + DAY_MS, finals: seqOf(START + DAY_MS), returned: seqOf(START + DAY_MS) }
        let steps = 0
        while (await store.deleteOld(cutoffs)) steps++
        expect(steps).toBeGreaterThan(1)
        expect(await store.batch('old')).toBeUndefined()
        expect(await batchOf(store, 'young')).toMatchObject([{ mobile: A }])
        expect(await store.counts()).toMatchObject({ notSent: 1, delivered: 0 })
      }))

    test('whatever happens to a batch, the answer about it is that of its messages', () =>
      fc.assert(
        fc.asyncProperty(fc.array(anyAct, { minLength: 4, maxLength: 14 }), (acts) =>
          withStore(async (first, reopen) => {
            let [store, format] = [first, EAST]
            for (const [at, act] of acts.entries()) {
              setSystemTime(new Date(START + at * HOUR_MS))
              if (act.kind === 'reopen') {
                format = act.isElsewhere ? BERLIN : EAST
                store = await reopen(format)
              } else await perform(store, act, at)
              const { records } = await store.export(undefined, 1000)
              for (const rrid of RRIDS) expect(await store.batch(rrid)).toBe(answerFrom(records, rrid, format))
            }
          }),
        ),
        { numRuns: runsInLanes(15, 80) },
      ))

    test('whatever is leased, released and acknowledged, each state is returned exactly once', () =>
      fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 4 })), { maxLength: 25 }), (acts) =>
          withStore(async (store) => {
            let made = 0
            const leased: NonNullable<Awaited<ReturnType<MessageStore['lease']>>>[] = []
            const returned: string[] = []
            for (const [act, amount] of acts) {
              if (act === 0)
                await finals(
                  store,
                  Array.from({ length: amount + 1 }, () => `${made++}`),
                )
              const page = act === 1 ? await store.lease(undefined, amount + 1) : undefined
              if (page !== undefined) leased.push(page)
              const one = act > 1 ? leased.splice(amount % Math.max(1, leased.length), 1)[0] : undefined
              if (one === undefined) continue
              if (act === 2) store.release([one.range])
              else
                await store.acknowledge(
                  [one.range],
                  returned.push(...one.records.map(({ mobile }) => mobile)) && one.records.length,
                )
            }
            store.release(leased.map(({ range }) => range))
            for (
              let page = await store.lease(undefined, 3);
              page !== undefined;
              page = await store.lease(undefined, 3)
            ) {
              returned.push(...page.records.map(({ mobile }) => mobile))
              await store.acknowledge([page.range], page.records.length)
            }
            expect(returned.toSorted()).toEqual(Array.from({ length: made }, (_, at) => `${at}`).toSorted())
            expect((await store.counts()).statusesReturned).toBe(made)
          }),
        ),
        { numRuns: 12 },
      ))
  })

  function report(mobile: string, state: Exclude<State, 0>, code: string): Report {
    return { message: { rrid: 'r', mobile }, state, code, receivedAt: START }
  }

  /** Messages of a batch of their own that become final in order. */
  async function finals(store: MessageStore, mobiles: readonly string[]): Promise<void> {
    const { rrid } = await store.record({ mobiles })
    await store.report(mobiles.map((mobile) => ({ ...report(mobile, 2, 'DELIVRD'), message: { rrid, mobile } })))
  }
}

type Act =
  | { readonly kind: 'record'; readonly batch: number; readonly size: number }
  | { readonly kind: 'report'; readonly batch: number; readonly states: readonly State[]; readonly isTwice: boolean }
  | { readonly kind: 'import'; readonly batch: number; readonly first: number; readonly states: readonly State[] }
  | { readonly kind: 'delete'; readonly hours: number }
  | { readonly kind: 'reopen'; readonly isElsewhere: boolean }

const RRIDS = ['one', 'two', 'three']
/** A report of every message of the largest batch, or of the first ones. 0 is none. */
const anyStates = fc.oneof(
  fc.constantFrom<readonly State[]>(Array(16).fill(2), Array(12).fill(3), [...Array(11).fill(2), 1]),
  fc.array(fc.constantFrom<State>(0, 1, 2, 2, 3, 3), { maxLength: 16 }),
)
const batch = fc.nat({ max: RRIDS.length - 1 })
const anyAct: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ kind: fc.constant('record' as const), batch, size: fc.integer({ min: 9, max: 12 }) }),
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('report' as const), batch, states: anyStates, isTwice: fc.boolean() }),
  },
  fc.record({ kind: fc.constant('import' as const), batch, first: fc.nat({ max: 14 }), states: anyStates }),
  fc.record({ kind: fc.constant('delete' as const), hours: fc.nat({ max: 14 }) }),
  fc.record({ kind: fc.constant('reopen' as const), isElsewhere: fc.boolean() }),
)

async function perform(store: MessageStore, act: Exclude<Act, { kind: 'reopen' }>, at: number): Promise<void> {
  if (act.kind === 'delete') {
    while (await store.deleteOld({ ...NONE, before: START + act.hours * HOUR_MS }));
    return
  }
  const rrid = RRIDS[act.batch] ?? ''
  const receivedAt = START + at * HOUR_MS
  if (act.kind === 'record') {
    // There may be another batch of this rrid.
    await store.record({ rrid, mobiles: Array.from({ length: act.size }, (_, n) => `${n}`) }).catch(() => {})
  } else if (act.kind === 'report')
    await store.report(
      [act.states, act.isTwice ? act.states.toReversed() : []].flatMap((states, time) =>
        states.flatMap((state, n) =>
          state === 0 ? [] : [{ message: { rrid, mobile: `${n}` }, state, code: `CODE${state}${time}`, receivedAt }],
        ),
      ),
    )
  else
    await store.import(
      act.states.map((status, n) => ({
        rrid,
        mobile: `${act.first + n}`,
        status,
        deliveryStatus: status === 0 ? '' : `IMPORTED"${status}`,
        submittedAt: receivedAt,
        ...(status === 0 ? {} : { receivedAt }),
      })),
    )
}

/** The answer about a batch, made of its messages. */
function answerFrom(records: readonly MessageRecord[], rrid: string, format: BatchFormat): string | undefined {
  const texts = records
    .filter((record) => record.rrid === rrid)
    .map(({ status, mobile, deliveryStatus: code, receivedAt = null }) =>
      format.record({ status, mobile, rrid, code, receivedAt }),
    )
  return texts.length === 0 ? undefined : format.batch(texts)
}

/** Messages of a batch as its answer has them. */
async function batchOf(store: MessageStore, rrid: string): Promise<readonly unknown[]> {
  return JSON.parse((await store.batch(rrid)) ?? '').data
}
