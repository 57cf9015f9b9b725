import fc from 'fast-check'
import type { IndexDeclaration } from '../../../src/query/index-declarations.ts'
import type { BoundSpec, QuerySpec } from '../../../src/query/query.ts'
import { type Asked, MAX_NAME, MIN_NAME } from './query-model.ts'

/** Where the list stands that the plans are about: below a list of lists. */
export const LIST = ['lists', 'one'] as const

/** Longest text that an index holds whole, less one: the texts below are equal that far. */
const LONG = 'p'.repeat(1023)

const texts = [
  '',
  'a',
  'b',
  'b😀',
  'b\uF8FF',
  'b\uE000',
  '\u0000',
  '\u0001',
  '5',
  '\u{10FFFF}',
  '\u{10FFFF}\u0001',
  '\u{10FFFF}z',
  '\uFFFF',
  'objects',
]

/** Texts around the length at which an index holds no more of them, equal up to there. */
export const longTexts = [
  LONG,
  `${LONG}p`,
  `${LONG}z`,
  `${LONG}zz`,
  `${LONG}za`,
  `${LONG}z😀`,
  `${LONG}z\uE000`,
  `${LONG}😀`,
  `${LONG}😀a`,
  `${LONG}\uE000`,
  `${LONG}\uE000a`,
  `${LONG}\u{10FFFF}`,
  '\uE000'.repeat(1024),
  `${'\uE000'.repeat(1024)}a`,
  `${'\uE000'.repeat(1024)}b`,
  'p'.repeat(9000),
]
const numbers = [0, -0, 1, 2, 5, -1.5, 0.1, 1e21, 5e-324, 2 ** 53, -(2 ** 63), Number.MAX_VALUE]

/** Few values, so that many children have the same. */
const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...texts) },
  { weight: 2, arbitrary: fc.constantFrom(...longTexts) },
)
const anyLeaf = fc.oneof(
  { weight: 2, arbitrary: anyText },
  { weight: 3, arbitrary: fc.constantFrom(...numbers) },
  { weight: 1, arbitrary: fc.boolean() },
)
const anyPriority = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(-1, 0, 2, 10, 1e21) },
  { weight: 2, arbitrary: anyText },
)

const oddKeys = [
  '0',
  '1',
  '2',
  '3',
  '10',
  '9',
  '07',
  '007',
  '7',
  '-0',
  '00',
  '-7',
  '-07',
  '2147483647',
  '2147483648',
  '-2147483649',
  '99999999999',
  `${'0'.repeat(700)}5`,
  '-',
  '0a',
  ' ',
  '!',
  'a',
  'a b',
  'B',
  '"q"',
  'back\\slash',
  '__proto__',
  'constructor',
  'length',
  '😀',
  '\uE000',
  '\uF8FF',
  '\uFFFF',
  '\u{10FFFF}',
  '\u{10FFFF}z',
] as const

/** Odd keys and a long run of ordinary ones, so that a list can be longer than what is sorted in memory. */
const anyKey = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddKeys) },
  { weight: 1, arbitrary: fc.nat(150).map((number) => `k${number}`) },
  { weight: 1, arbitrary: fc.nat(150).map(String) },
)

/** What children are sorted by, as keys of the members of `anyChild`. */
const fields = ['h', 'a', 'a/b', 'a/b/c', '__proto__', '0', 'none/at/all'] as const

function objectOf(members: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object = Object.create(null) as Record<string, unknown>
  for (const [key, value] of members) if (value !== null) object[key] = value
  return object
}

function withPriority(leaf: unknown, priority: unknown): unknown {
  return priority === null ? leaf : { '.value': leaf, '.priority': priority }
}

const anyWrapped = fc.tuple(anyLeaf, fc.option(anyPriority, { freq: 3 })).map(([leaf, own]) => withPriority(leaf, own))

/** A value below a child: a leaf, with a priority now and then, or more levels. */
const anyInner = fc.oneof(
  { weight: 4, arbitrary: anyWrapped },
  { weight: 1, arbitrary: anyWrapped.map((leaf) => objectOf([['b', leaf]])) },
  { weight: 1, arbitrary: anyWrapped.map((leaf) => objectOf([['b', objectOf([['c', leaf]])]])) },
  { weight: 1, arbitrary: fc.array(anyLeaf, { minLength: 1, maxLength: 2 }) },
)

const anyChild = fc.oneof(
  { weight: 3, arbitrary: anyWrapped },
  {
    weight: 4,
    arbitrary: fc
      .record({
        h: fc.option(anyWrapped, { freq: 3 }),
        a: fc.option(anyInner, { freq: 3 }),
        proto: fc.option(anyLeaf, { freq: 1 }),
        zero: fc.option(anyLeaf, { freq: 1 }),
        filler: fc.constantFrom(null, 'filler '.repeat(8), 'filler '.repeat(30), 'filler '.repeat(700)),
        priority: fc.option(anyPriority, { freq: 2 }),
      })
      .map(({ h, a, proto, zero, filler, priority }) =>
        objectOf([
          ['h', h],
          ['a', a],
          ['__proto__', proto],
          ['0', zero],
          ['filler', filler],
          ['.priority', priority],
        ]),
      ),
  },
)

/** A whole list: of a few odd children, or of more than are sorted in memory, most of them plain. */
const anyList = fc
  .tuple(
    fc.constantFrom(0, 0, 5, 70, 140),
    fc.boolean(),
    fc.uniqueArray(fc.tuple(anyKey, anyChild), { maxLength: 12, selector: ([key]) => key }),
    fc.option(anyPriority, { freq: 1 }),
  )
  .map(([plain, numbered, odd, priority]) => {
    const run = Array.from({ length: plain }, (_, index): [string, unknown] => [
      numbered ? String(index) : `k${index}`,
      index % 3 === 0 ? { h: index % 7, a: { b: `t${index % 5}` } } : (index * 7) % 11,
    ])
    return objectOf([...run, ...odd, ['.priority', priority]])
  })

/** A child of the list: the one of that number among those that exist, or one by its key. */
export type Chosen = { readonly number: number } | { readonly key: string }

/** One thing done to the tree. */
export type ListStep =
  | { readonly kind: 'list' | 'parent' | 'root'; readonly json: unknown }
  | { readonly kind: 'below'; readonly child: Chosen; readonly path: readonly string[]; readonly json: unknown }
  | { readonly kind: 'patch'; readonly members: readonly (readonly [Chosen, string, unknown])[] }
  /** Deletes all children in one patch, and sets some in their place. */
  | { readonly kind: 'refill'; readonly members: readonly (readonly [string, unknown])[] }
  /** Declares some indexes, as covering or not. */
  | { readonly kind: 'declare'; readonly declarations: readonly IndexDeclaration[] }
  | { readonly kind: 'reopen' }

const anyChosen: fc.Arbitrary<Chosen> = fc.oneof(
  { weight: 2, arbitrary: fc.nat(200).map((number) => ({ number })) },
  { weight: 1, arbitrary: anyKey.map((key) => ({ key })) },
)
const orNothing = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 3 })
const anyPlaceBelow = fc.constantFrom<readonly string[]>(
  [],
  [],
  ['h'],
  ['a'],
  ['a', 'b'],
  ['a', 'b', 'c'],
  ['a', 'other'],
  ['__proto__'],
  ['0'],
  ['filler'],
)

const below = fc
  .tuple(anyChosen, anyPlaceBelow, orNothing(fc.oneof(anyChild, anyInner)))
  .map(([child, path, json]): ListStep => ({ kind: 'below', child, path, json }))
const priority = fc
  .tuple(anyChosen, fc.constantFrom([], [], ['h'], ['a', 'b']), orNothing(anyPriority))
  .map(([child, path, json]): ListStep => ({ kind: 'below', child, path: [...path, '.priority'], json }))
const patch = fc
  .array(fc.tuple(anyChosen, fc.constantFrom('', 'h', 'a', 'a/b', '.priority'), orNothing(anyLeaf)), {
    minLength: 1,
    maxLength: 5,
  })
  .map((members): ListStep => ({ kind: 'patch', members }))
const refill = fc
  .uniqueArray(fc.tuple(anyKey, anyChild), { maxLength: 3, selector: ([key]) => key })
  .map((members): ListStep => ({ kind: 'refill', members }))

const anyDeclarations = fc
  .tuple(
    fc.subarray(['', '.priority', ...fields], { minLength: 4 }),
    fc.constantFrom(LIST, ['lists', '$any']),
    fc.boolean(),
  )
  .map(([names, list, covering]): IndexDeclaration[] => {
    const paths = names.map((name) => name.split('/').filter((key) => key !== ''))
    return paths.map((path) => ({ list, path, covering }))
  })

const anyStep: fc.Arbitrary<ListStep> = fc.oneof(
  { weight: 2, arbitrary: anyDeclarations.map((declarations): ListStep => ({ kind: 'declare', declarations })) },
  { weight: 4, arbitrary: anyList.map((json): ListStep => ({ kind: 'list', json })) },
  { weight: 10, arbitrary: below },
  { weight: 3, arbitrary: priority },
  { weight: 3, arbitrary: patch },
  { weight: 1, arbitrary: refill },
  { weight: 1, arbitrary: orNothing(anyLeaf).map((json): ListStep => ({ kind: 'list', json })) },
  { weight: 1, arbitrary: anyList.map((list): ListStep => ({ kind: 'parent', json: objectOf([['one', list]]) })) },
  { weight: 1, arbitrary: orNothing(anyLeaf).map((json): ListStep => ({ kind: 'parent', json })) },
  {
    weight: 1,
    arbitrary: anyList.map((list): ListStep => ({ kind: 'root', json: { lists: objectOf([['one', list]]), b: 1 } })),
  },
  { weight: 1, arbitrary: fc.constant<ListStep>({ kind: 'reopen' }) },
)

const anyStart = fc.constantFrom('none', 'none', 'startAt', 'startAfter', 'equalTo')
const anyEnd = fc.constantFrom('none', 'none', 'endAt', 'endBefore')
const anyLimit = fc.constantFrom<Partial<QuerySpec>>(
  {},
  {},
  { limitToFirst: 1 },
  { limitToFirst: 3 },
  { limitToFirst: 100 },
  { limitToLast: 1 },
  { limitToLast: 3 },
  { limitToLast: 100 },
)

/** A key to compare with need not be one that could exist. */
const anyBoundKey = fc.oneof(
  { weight: 5, arbitrary: anyKey },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '\u0000', '\u0001', '\u00012147483650', '\u0002', '\u001F', '.priority'),
  },
  { weight: 1, arbitrary: fc.constantFrom('$', '/', 'a/b', '[', '~', '\u007F', '0'.repeat(800)) },
  { weight: 1, arbitrary: fc.constantFrom(MIN_NAME, MAX_NAME) },
)

function boundsOf(start: string, end: string, first: BoundSpec, last: BoundSpec): Partial<QuerySpec> {
  return {
    ...(start === 'none' ? {} : { [start]: first }),
    ...(end === 'none' || start === 'equalTo' ? {} : { [end]: last }),
  }
}

function anyQueryOf(orderBy: fc.Arbitrary<string>, bound: fc.Arbitrary<BoundSpec>): fc.Arbitrary<QuerySpec> {
  return fc.tuple(orderBy, anyStart, anyEnd, bound, bound, anyLimit).map(([order, start, end, first, last, limit]) => ({
    ...boundsOf(start, end, first, last),
    ...limit,
    orderBy: order,
  }))
}

const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 6 })

function withKey(value: fc.Arbitrary<string | number | boolean | null>): fc.Arbitrary<BoundSpec> {
  return fc.oneof(
    { weight: 2, arbitrary: value },
    { weight: 1, arbitrary: fc.tuple(value, anyBoundKey).map(([one, key]): BoundSpec => [one, key]) },
  )
}

/** Wilddog refuses some bounds of children's values, so those are asked as Firebase does. */
const anyQuery: fc.Arbitrary<Asked> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .tuple(anyQueryOf(fc.constant('$key'), anyBoundKey), fc.constantFrom('wilddog' as const, 'firebase' as const))
      .map(([spec, family]) => ({ spec, family })),
  },
  {
    weight: 4,
    arbitrary: anyQueryOf(fc.constantFrom('$value', ...fields), withKey(orNull(anyLeaf))).map((spec) => ({
      spec,
      family: 'firebase' as const,
    })),
  },
  {
    weight: 1,
    arbitrary: anyQueryOf(fc.constant('$priority'), withKey(orNull(anyPriority))).map((spec) => ({
      spec,
      family: 'firebase' as const,
    })),
  },
)

/** A list and declarations to begin with, and steps each followed by questions. */
export const anyListPlan = fc.tuple(
  anyList,
  anyDeclarations,
  fc.array(fc.tuple(anyStep, fc.array(anyQuery, { minLength: 1, maxLength: 4 })), {
    minLength: 1,
    maxLength: 12,
    size: 'max',
  }),
)
