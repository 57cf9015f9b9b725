import fc from 'fast-check'

/** Keys that have broken, or could break, code that takes them for something else. */
export const troublesomeKeys = [
  'a',
  'b',
  'c',
  '0',
  '1',
  '2',
  '3',
  '07',
  '7',
  '-0',
  '-7',
  '2147483648',
  '__proto__',
  'constructor',
  'length',
  '"q"',
  'back\\slash',
  'a space',
  '😀',
  '\uE000',
  '\u{10FFFF}',
] as const

/** Mostly ordinary and array-like keys, so that places meet again. */
export const anyKey = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b', '0', '1', '2') },
  { weight: 2, arbitrary: fc.constantFrom(...troublesomeKeys) },
)

/** Lengths around the bounds that decide how a text is kept, and small ones far more often. */
const anyText = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom('.priority', '"', '\u0000', '\u0002\u0003', '[', '\u{10FFFF}') },
  { weight: 1, arbitrary: fc.constantFrom(20, 2000, 4090, 9000).map((length) => 'long '.repeat(length / 5)) },
)

const anyNumber = fc.oneof(
  fc.integer({ min: -9, max: 99 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 1e21, 5e-324, Number.MAX_VALUE),
)

const anyLeaf = fc.oneof(anyNumber, anyText, fc.boolean())
export const anyPriority = fc.oneof(fc.integer({ min: -3, max: 3 }), anyText)

function objectOf(members: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object = Object.create(null) as Record<string, unknown>
  for (const [key, value] of members) object[key] = value
  return object
}

/** As from `JSON.parse`: arrays, nulls, empty objects, priorities; no server values. */
export const anyPayload = fc.letrec<{ payload: unknown }>((tie) => ({
  payload: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: anyLeaf },
    { weight: 1, arbitrary: fc.constant(null) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          fc.uniqueArray(fc.tuple(anyKey, tie('payload')), { maxLength: 5, selector: ([key]) => key }),
          fc.option(anyPriority, { freq: 3 }),
        )
        .map(([members, priority]) => objectOf(priority === null ? members : [...members, ['.priority', priority]])),
    },
    { weight: 2, arbitrary: fc.array(tie('payload'), { maxLength: 6 }) },
    {
      weight: 1,
      arbitrary: fc.tuple(anyLeaf, anyPriority).map(([leaf, priority]) =>
        objectOf([
          ['.value', leaf],
          ['.priority', priority],
        ]),
      ),
    },
  ),
})).payload
