import fc from 'fast-check'
import type { State } from '../../../src/sms/model/report.ts'
import type { Fault } from '../../support/postgres/faulty-lanes.ts'

/** What happens to the messages of an application. Numbers of batches, messages and leases are taken modulo what there is. */
export type EngineAct =
  | { readonly kind: 'record'; readonly batch: number; readonly size: number; readonly ids: number | null }
  | { readonly kind: 'report'; readonly reports: readonly PlannedReport[] }
  | { readonly kind: 'import'; readonly records: readonly PlannedRecord[] }
  | { readonly kind: 'lease'; readonly limit: number }
  | { readonly kind: 'acknowledge' | 'release'; readonly lease: number }
  | { readonly kind: 'delete'; readonly hours: number }
  | { readonly kind: 'reopen' }

export interface PlannedReport {
  /** Names the message by its gateway id. */
  readonly id: number | null
  readonly batch: number
  readonly mobile: number
  readonly state: Exclude<State, 0>
}

export interface PlannedRecord {
  readonly batch: number
  readonly mobile: number
  readonly state: State
  readonly id: number | null
  readonly hoursAgo: number
  readonly isReturned: boolean
}

export interface EngineStep {
  readonly act: EngineAct
  /** Which of the processes does it. */
  readonly process: number
  /** What the database does to it. */
  readonly fault: Fault | null
  /** How long after the step before. */
  readonly minutes: number
}

const batch = fc.nat({ max: 3 })
const mobile = fc.nat({ max: 13 })
const id = fc.option(fc.nat({ max: 30 }), { freq: 3 })

const anyReport: fc.Arbitrary<PlannedReport> = fc.record({
  id,
  batch,
  mobile,
  state: fc.constantFrom(1 as const, 2 as const, 2 as const, 3 as const),
})
/** All messages of a batch, so that it has a stored text. */
const wholeBatch = fc
  .tuple(batch, fc.constantFrom(2 as const, 3 as const))
  .map(([of, state]) => Array.from({ length: 14 }, (_, at) => ({ id: null, batch: of, mobile: at, state })))

const anyAct: fc.Arbitrary<EngineAct> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('record' as const),
      batch,
      size: fc.integer({ min: 1, max: 13 }),
      ids: id,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      reports: fc.oneof({ weight: 3, arbitrary: fc.array(anyReport, { maxLength: 20 }) }, wholeBatch),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('import' as const),
      records: fc.array(
        fc.record({
          batch,
          mobile,
          state: fc.constantFrom<State>(0, 1, 2, 3),
          id,
          hoursAgo: fc.nat({ max: 30 }),
          isReturned: fc.boolean(),
        }),
        { maxLength: 12 },
      ),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('lease' as const), limit: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('acknowledge' as const, 'release' as const), lease: fc.nat() }),
  },
  fc.record({ kind: fc.constant('delete' as const), hours: fc.integer({ min: 10, max: 60 }) }),
  fc.constant({ kind: 'reopen' as const }),
)

/** Steps of a clock that never goes back. */
export const anyEnginePlan: fc.Arbitrary<readonly EngineStep[]> = fc.array(
  fc.record({
    act: anyAct,
    process: fc.nat({ max: 1 }),
    fault: fc.option(
      fc.constantFrom<Fault>('lost before', 'lost after', 'lost, then late', 'timeout', 'deadlock', 'foreign'),
      { freq: 6 },
    ),
    minutes: fc.oneof(fc.constant(0), fc.nat({ max: 5 }), fc.nat({ max: 1500 })),
  }),
  { minLength: 5, maxLength: 40 },
)
