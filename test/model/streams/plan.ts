import fc from 'fast-check'
import type { BoundSpec, QuerySpec } from '../../../src/query/query.ts'
import { anyKey, anyPayload, anyPriority } from '../../support/payloads.ts'

type Keys = readonly string[]

/** What somebody listens to. */
export interface StreamSpec {
  readonly path: Keys
  readonly form: 'plain' | 'export'
  readonly query: QuerySpec | undefined
}

/** One request to write. */
export type WriteAction =
  | { readonly kind: 'put'; readonly path: Keys; readonly json: unknown }
  | { readonly kind: 'post'; readonly path: Keys; readonly json: unknown }
  | { readonly kind: 'patch'; readonly path: Keys; readonly members: Readonly<Record<string, unknown>> }
  /** A put at a place that exists by then: the one of that number among all. */
  | { readonly kind: 'put-existing'; readonly place: number; readonly last: Keys; readonly json: unknown }

/** What is done to the streams; readers are meant by their number among all. */
type StreamAction =
  | { readonly kind: 'open'; readonly spec: StreamSpec }
  | { readonly kind: 'close' | 'pause' | 'go-on'; readonly reader: number }
  | { readonly kind: 'reopen'; readonly reader: number; readonly resume: boolean }

export type Action = WriteAction | StreamAction

/** Done at once, with everything quiet before and after; or the database is closed and opened again. */
type Step = { readonly kind: 'at-once'; readonly actions: readonly Action[] } | { readonly kind: 'restart' }

/** Where the list stands that most queries are about. */
const LIST = 'list'

function objectOf(members: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object = Object.create(null) as Record<string, unknown>
  for (const [key, value] of members) if (value !== null) object[key] = value
  return object
}

/** Few values, so that many children have the same. */
const anyLeaf = fc.constantFrom<string | number | boolean>(0, 1, 2, 3, -1.5, 'a', 'b', 'b😀', '1', true, false)
const anyWrapped = fc.oneof(
  { weight: 4, arbitrary: anyLeaf },
  {
    weight: 1,
    arbitrary: fc.tuple(anyLeaf, anyPriority).map(([leaf, priority]) => ({ '.value': leaf, '.priority': priority })),
  },
)

/** What stands below a child; the filler makes it too long for one row, or for the change log. */
const anyChild = fc.oneof(
  { weight: 2, arbitrary: anyWrapped },
  {
    weight: 3,
    arbitrary: fc
      .record({
        h: fc.option(anyWrapped, { freq: 4 }),
        b: fc.option(anyWrapped, { freq: 2 }),
        filler: fc.constantFrom(null, null, 'f'.repeat(40), 'f'.repeat(5000), 'f'.repeat(17_000)),
        priority: fc.option(
          anyLeaf.filter((leaf) => typeof leaf !== 'boolean'),
          { freq: 2 },
        ),
      })
      .map(({ h, b, filler, priority }) =>
        objectOf([
          ['h', h],
          ['a', b === null ? null : objectOf([['b', b]])],
          ['filler', filler],
          ['.priority', priority],
        ]),
      ),
  },
)

const anyListKey = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('0', '1', '2', '10', 'a', 'b', 'c', 'd', '__proto__') },
  { weight: 2, arbitrary: fc.nat(80).map((number) => `k${number}`) },
)
const anyMembers = fc.uniqueArray(fc.tuple(anyListKey, anyChild), { maxLength: 8, selector: ([key]) => key })

/** A list of a few children, or of more than are looked at one by one. */
const anyList = fc.tuple(fc.constantFrom(0, 0, 3, 70), anyMembers).map(([plain, odd]) => {
  const run = Array.from({ length: plain }, (_, index): [string, unknown] => [
    `k${index}`,
    index % 3 === 0 ? { h: index % 4, a: { b: `t${index % 5}` } } : (index * 7) % 11,
  ])
  return objectOf([...run, ...odd])
})

/** Short paths, so that writers and readers meet. */
const anyPath = fc.oneof(
  { weight: 2, arbitrary: fc.array(anyKey, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant<Keys>([LIST]) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(anyListKey, fc.constantFrom<Keys>([], [], ['h'], ['a'], ['a', 'b'], ['filler']))
      .map(([key, below]): Keys => [LIST, key, ...below]),
  },
)

const anyBelow = fc.constantFrom<Keys>([], [], ['h'], ['a', 'b'], ['x'])
const orNothing = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 3 })
const anyJson = orNothing(fc.oneof({ weight: 2, arbitrary: anyChild }, { weight: 1, arbitrary: anyPayload }))

const put = fc.tuple(anyPath, anyJson).map(([path, json]): WriteAction => ({ kind: 'put', path, json }))
const putList = anyList.map((json): WriteAction => ({ kind: 'put', path: [LIST], json }))
const putChild = fc
  .tuple(anyListKey, anyBelow, orNothing(anyChild))
  .map(([key, below, json]): WriteAction => ({ kind: 'put', path: [LIST, key, ...below], json }))
const post = fc.tuple(anyPath, anyJson).map(([path, json]): WriteAction => ({ kind: 'post', path, json }))
const priority = fc
  .tuple(anyPath, orNothing(anyPriority))
  .map(([path, json]): WriteAction => ({ kind: 'put', path: [...path, '.priority'], json }))
const existing = fc
  .tuple(fc.nat(60), fc.constantFrom<Keys>([], [], ['.priority']), anyJson, orNothing(anyPriority))
  .map(
    ([place, last, json, own]): WriteAction => ({
      kind: 'put-existing',
      place,
      last,
      json: last.length === 0 ? json : own,
    }),
  )

/** Keys of a patch: no one covers another, as their first keys differ. */
const anyPatchMembers = (first: fc.Arbitrary<string>) =>
  fc
    .uniqueArray(
      fc.tuple(
        first,
        fc.constantFrom<Keys>([], [], ['h'], ['a', 'b'], ['x', '0'], ['.priority']),
        anyJson,
        anyPriority,
      ),
      { minLength: 1, maxLength: 4, selector: ([key]) => key },
    )
    .map((members) => {
      const object = Object.create(null) as Record<string, unknown>
      for (const [key, below, json, own] of members) {
        object[[key, ...below].join('/')] = below.at(-1) === '.priority' ? own : json
      }
      return object
    })
const patch = fc
  .tuple(anyPath, anyPatchMembers(anyKey))
  .map(([path, members]): WriteAction => ({ kind: 'patch', path, members }))
const patchList = anyPatchMembers(anyListKey).map((members): WriteAction => ({ kind: 'patch', path: [LIST], members }))
const patchRoot = fc.tuple(anyPatchMembers(anyListKey), anyPayload).map(([members, other]): WriteAction => {
  const inList = Object.entries(members).map(([key, json]) => [`${LIST}/${key}`, json])
  return { kind: 'patch', path: [], members: { ...Object.fromEntries(inList), a: other } }
})

const anyWrite = fc.oneof(
  { weight: 3, arbitrary: put },
  { weight: 5, arbitrary: putChild },
  { weight: 1, arbitrary: putList },
  { weight: 1, arbitrary: post },
  { weight: 2, arbitrary: priority },
  { weight: 3, arbitrary: existing },
  { weight: 2, arbitrary: patch },
  { weight: 2, arbitrary: patchList },
  { weight: 1, arbitrary: patchRoot },
)

const anyLimit = fc.constantFrom<Partial<QuerySpec>>(
  {},
  { limitToFirst: 1 },
  { limitToFirst: 3 },
  { limitToFirst: 60 },
  { limitToLast: 1 },
  { limitToLast: 3 },
  { limitToLast: 60 },
)
const anyBounds = (bound: fc.Arbitrary<BoundSpec>) =>
  fc
    .tuple(
      fc.constantFrom('none', 'none', 'startAt', 'startAfter', 'equalTo'),
      fc.constantFrom('none', 'none', 'endAt', 'endBefore'),
      bound,
      bound,
    )
    .map(
      ([start, end, first, last]): Partial<QuerySpec> => ({
        ...(start === 'none' ? {} : { [start]: first }),
        ...(end === 'none' || start === 'equalTo' ? {} : { [end]: last }),
      }),
    )
const queryBy = (orderBy: fc.Arbitrary<string>, bound: fc.Arbitrary<BoundSpec>) =>
  fc
    .tuple(orderBy, anyBounds(bound), anyLimit)
    .map(([order, bounds, limit]) => ({ ...bounds, ...limit, orderBy: order }))
const anyValueBound: fc.Arbitrary<BoundSpec> = fc.oneof(
  { weight: 3, arbitrary: orNothing(anyLeaf) },
  { weight: 1, arbitrary: fc.tuple(anyLeaf, anyListKey).map(([value, key]): BoundSpec => [value, key]) },
)
const anyPriorityBound = fc.constantFrom<BoundSpec>(-1, 0, 1, 2, 'a', 'b')

const anyQuery: fc.Arbitrary<QuerySpec> = fc.oneof(
  { weight: 2, arbitrary: queryBy(fc.constant('$key'), anyListKey) },
  { weight: 4, arbitrary: queryBy(fc.constantFrom('$value', 'h', 'a/b', 'a'), anyValueBound) },
  { weight: 1, arbitrary: queryBy(fc.constant('$priority'), anyPriorityBound) },
)

const anyForm = fc.constantFrom<StreamSpec['form']>('plain', 'export')
const anySpec: fc.Arbitrary<StreamSpec> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ path: anyPath, form: anyForm, query: fc.constant(undefined) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      path: fc.oneof({ weight: 4, arbitrary: fc.constant<Keys>([LIST]) }, { weight: 1, arbitrary: anyPath }),
      form: anyForm,
      query: anyQuery,
    }),
  },
)

const anyReader = fc.nat(20)
const anyStreamAction: fc.Arbitrary<StreamAction> = fc.oneof(
  { weight: 3, arbitrary: anySpec.map((spec): StreamAction => ({ kind: 'open', spec })) },
  { weight: 1, arbitrary: anyReader.map((reader): StreamAction => ({ kind: 'close', reader })) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(anyReader, fc.boolean())
      .map(([reader, resume]): StreamAction => ({ kind: 'reopen', reader, resume })),
  },
  { weight: 2, arbitrary: anyReader.map((reader): StreamAction => ({ kind: 'pause', reader })) },
  { weight: 2, arbitrary: anyReader.map((reader): StreamAction => ({ kind: 'go-on', reader })) },
)

const atOnce = (actions: readonly Action[]): Step => ({ kind: 'at-once', actions })
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: anyWrite.map((write) => atOnce([write])) },
  { weight: 3, arbitrary: fc.array(anyWrite, { minLength: 2, maxLength: 12 }).map(atOnce) },
  { weight: 2, arbitrary: anyStreamAction.map((action) => atOnce([action])) },
  {
    weight: 4,
    arbitrary: fc
      .array(fc.oneof({ weight: 2, arbitrary: anyWrite }, { weight: 1, arbitrary: anyStreamAction }), {
        minLength: 2,
        maxLength: 10,
      })
      .map(atOnce),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'restart' }) },
)

/** What is there first, who listens first, and what happens then. */
export interface StreamPlan {
  readonly list: unknown
  readonly other: unknown
  readonly specs: readonly StreamSpec[]
  readonly steps: readonly Step[]
  readonly shortList: number
  readonly maxWaiting: number
}

export const anyStreamPlan: fc.Arbitrary<StreamPlan> = fc.record({
  list: anyList,
  other: anyPayload,
  specs: fc.array(anySpec, { minLength: 1, maxLength: 6 }),
  steps: fc.array(anyStep, { minLength: 1, maxLength: 12, size: 'max' }),
  shortList: fc.constantFrom(0, 64),
  /** Room in a mailbox: for next to nothing, or for all there is. */
  maxWaiting: fc.constantFrom(100, 2000, 8 * 1024 * 1024),
})
