import fc from 'fast-check'

/** What a carrier says of a message, whichever way it says so. */
export interface Saying {
  /** Which message: the one of that number among all there may be, and one more that nobody has recorded. */
  readonly message: number
  readonly code: string
  /** What a report says beside a code that is not known; `dlr` takes such a code for a failure. */
  readonly isSuccess: boolean
  /** When, in seconds after some moment. */
  readonly at: number
}

/** How `dlr` is told which message it is, and who may tell it. */
export type Naming = 'place' | 'message-id' | 'receipt'

/** At which moment of its own call a client goes away: its request is out, an answer has begun, there is some of a body. */
type Moment = 'sent' | 'head' | 'body'

/** What a client of the batch query does: takes all of the answer, goes away, or begins to read and leaves it at that. */
export type Conduct = 'take' | Moment | 'stall'

/** One call of the batch query. */
interface News {
  readonly kind: 'news'
  readonly conduct: Conduct
  readonly http2: boolean
}

export type Action =
  | {
      readonly kind: 'record'
      /** Which name the batch has; `null`: the server makes one. */
      readonly name: number | null
      /** Batches of one name are the same, or not. */
      readonly first: number
      readonly size: number
      readonly hasIds: boolean
    }
  | { readonly kind: 'report'; readonly sayings: readonly Saying[]; readonly isSpoiled: boolean }
  | { readonly kind: 'dlr'; readonly saying: Saying; readonly naming: Naming }
  | { readonly kind: 'batch'; readonly name: number }
  | News
  /** Whoever stalls goes on, or away. */
  | { readonly kind: 'unstall'; readonly conduct: 'take' | 'leave' }

/** How a process ends: when so many things have been seen of the calls of the step, or, if they are fewer, all of them. */
export interface End {
  readonly how: 'kill' | 'stop'
  readonly after: number
}

/** Done at once, with everything quiet before and after, but for those who stall. */
export interface Step {
  readonly actions: readonly Action[]
  readonly end: End | null
}

export interface SmsPlan {
  /** Sizes of batches that are there before the first step, by number of their names. */
  readonly sizes: readonly number[]
  /** Messages that are there before the first step, each with a final state. */
  readonly flood: number
  readonly steps: readonly Step[]
  /** How the last process but one ends. */
  readonly end: End['how']
}

/** Names that batches may have. */
export const NAMES: readonly string[] = Array.from({ length: 7 }, (_, name) => `b${name}`)

/** More than the systems of both sides take of an answer that nobody reads. */
export const FLOOD = 6000

/** Codes by what they say; an unknown one says nothing by itself. */
export const CODES: ReadonlyMap<string, 1 | 2 | 3 | undefined> = new Map([
  ['ENROUTE', 1],
  ['ACCEPTD', 1],
  ['BUFFRED', 1],
  ['DELIVRD', 2],
  ['UNDELIV', 3],
  ['MY:0001', 3],
  ['DB:Other', 3],
  ['ODD"\\', undefined],
])

/** Few names and short batches, so that most reports meet with a message that others are about, too. */
const anySaying: fc.Arbitrary<Saying> = fc.record({
  message: fc.nat(400),
  code: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom('ENROUTE', 'ACCEPTD', 'BUFFRED') },
    { weight: 5, arbitrary: fc.constantFrom('DELIVRD', 'DELIVRD', 'UNDELIV', 'MY:0001', 'DB:Other', 'ODD"\\') },
  ),
  isSuccess: fc.boolean(),
  at: fc.nat(2),
})

const anySize = fc.constantFrom(1, 2, 3, 5, 5, 8, 20, 100)
const anyName: fc.Arbitrary<number | null> = fc.option(fc.nat(NAMES.length - 1), { freq: 6 })
const record: fc.Arbitrary<Action> = fc.record({
  kind: fc.constant('record'),
  name: anyName,
  first: fc.constantFrom(0, 0, 0, 1),
  size: anySize,
  hasIds: fc.boolean(),
})
const report: fc.Arbitrary<Action> = fc.record({
  kind: fc.constant('report'),
  sayings: fc.oneof(
    { weight: 1, arbitrary: fc.array(anySaying, { minLength: 1, maxLength: 1 }) },
    { weight: 3, arbitrary: fc.array(anySaying, { minLength: 2, maxLength: 14, size: 'max' }) },
  ),
  isSpoiled: fc.constantFrom(false, false, false, false, false, true),
})
const dlr: fc.Arbitrary<Action> = fc.record({
  kind: fc.constant('dlr'),
  saying: anySaying,
  naming: fc.constantFrom<Naming>('place', 'message-id', 'receipt'),
})
const anyWrite = fc.oneof(
  { weight: 2, arbitrary: record },
  { weight: 4, arbitrary: report },
  { weight: 1, arbitrary: dlr },
)

const batch = fc.nat(NAMES.length - 1).map((name): Action => ({ kind: 'batch', name }))
const taken: fc.Arbitrary<Action> = fc.record({
  kind: fc.constant('news'),
  conduct: fc.constant<Conduct>('take'),
  http2: fc.boolean(),
})
const broken: fc.Arbitrary<Action> = fc.record({
  kind: fc.constant('news'),
  conduct: fc.constantFrom<Conduct>('sent', 'head', 'body', 'body', 'stall'),
  http2: fc.boolean(),
})
const unstall = fc
  .constantFrom<'take' | 'leave'>('take', 'leave')
  .map((conduct): Action => ({ kind: 'unstall', conduct }))
const anyQuery = fc.oneof(
  { weight: 2, arbitrary: batch },
  { weight: 5, arbitrary: taken },
  { weight: 4, arbitrary: broken },
  { weight: 1, arbitrary: unstall },
)

/** All orders of the writes are tried to explain what came out, so they are few. */
const anyActions = (least: number) =>
  fc
    .tuple(
      fc.array(anyWrite, { minLength: least, maxLength: 4, size: 'max' }),
      fc.array(anyQuery, { minLength: least, maxLength: 4, size: 'max' }),
      fc.boolean(),
    )
    .map(([writes, queries, isQueryFirst]) => (isQueryFirst ? [...queries, ...writes] : [...writes, ...queries]))
    .filter((actions) => actions.length > 0)
const anyEnd: fc.Arbitrary<End> = fc.record({
  how: fc.constantFrom<End['how']>('kill', 'kill', 'stop'),
  /** Of each call is seen that it is sent, answered, brings some of a body and ends. */
  after: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 16 }) },
    { weight: 1, arbitrary: fc.constant(1000) },
  ),
})

const alone = (action: Action): Step => ({ actions: [action], end: null })
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: anyWrite.map(alone) },
  { weight: 1, arbitrary: taken.map(alone) },
  { weight: 1, arbitrary: broken.map(alone) },
  { weight: 6, arbitrary: anyActions(0).map((actions): Step => ({ actions, end: null })) },
  { weight: 2, arbitrary: fc.record({ actions: anyActions(1), end: anyEnd }) },
)

/** Few plans are tried, so the first ones must not be short ones only. */
const someSteps = fc.noBias(fc.array(anyStep, { maxLength: 12, size: 'max' }))

export const anySmsPlan: fc.Arbitrary<SmsPlan> = fc.record({
  sizes: fc.array(anySize, { maxLength: NAMES.length, size: 'max' }),
  flood: fc.constantFrom(0, 0, 0, FLOOD),
  steps: fc.tuple(someSteps, someSteps, someSteps).map((parts) => parts.flat()),
  end: fc.constantFrom<End['how']>('kill', 'stop'),
})
